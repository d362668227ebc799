// The parser of HTTP/1.1 that Node itself uses, as undici carries it; the library ships no types for it.
declare module "undici/lib/llhttp/llhttp-wasm.js" {
  const wasm: Buffer<ArrayBuffer>;
  export default wasm;
}

// What the parser needs of WebAssembly; Node has it, and its types leave it to those of browsers.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
}
