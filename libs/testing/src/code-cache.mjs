// Jest compiles every module anew for every test file. This gives V8 its own result of the first time, for as long as
// the source is the same: a worker loads the same thousand modules for a hundred files.
import vm from "node:vm";

const { SourceTextModule, compileFunction } = vm;
const modules = new Map();
const functions = new Map();

function find(cache, name, source) {
  const entry = cache.get(name);
  return entry?.source === source ? entry.cachedData : undefined;
}

// V8 rejects its result once a test has changed one of its flags: then the next one is kept.
vm.SourceTextModule = new Proxy(SourceTextModule, {
  construct(target, [source, options = {}]) {
    const { identifier } = options;
    const cachedData = find(modules, identifier, source);
    try {
      if (cachedData !== undefined) return new target(source, { ...options, cachedData });
    } catch (error) {
      if (error.code !== "ERR_VM_MODULE_CACHED_DATA_REJECTED") throw error;
    }
    const module = new target(source, options);
    if (identifier !== undefined) {
      modules.set(identifier, { source, cachedData: module.createCachedData() });
    }
    return module;
  },
});

vm.compileFunction = (source, parameters, options = {}) => {
  const { filename } = options;
  const cachedData = find(functions, filename, source);
  const compiled = compileFunction(source, parameters, {
    ...options,
    cachedData,
    produceCachedData: cachedData === undefined && filename !== undefined,
  });
  if (compiled.cachedDataRejected) functions.delete(filename);
  if (compiled.cachedData) functions.set(filename, { source, cachedData: compiled.cachedData });
  return compiled;
};
