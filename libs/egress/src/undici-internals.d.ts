declare module "*/llhttp.cjs" {
  export const llhttp: Uint8Array<ArrayBuffer>;
}

// The part of WebAssembly that the parser needs; Node has it, and its types leave it to those of browsers.
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
