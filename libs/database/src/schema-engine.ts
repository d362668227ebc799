// Prisma's own schema engine, compiled to WebAssembly, over our driver: no binary is downloaded. It reads a database to
// compare it with schema.prisma. One thing is replaced in Prisma's adapter, which cannot read the catalog's "char"
// columns.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from "@prisma/driver-adapter-utils";
import type { SchemaEngine } from "@prisma/schema-engine-wasm/schema_engine_bg";
import type pg from "pg";

// The part of the WebAssembly interface that is needed here; TypeScript keeps it among the types of browsers.
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
  RuntimeError: new () => Error;
};

type EngineModule = typeof import("@prisma/schema-engine-wasm/schema_engine_bg");

let loaded: Promise<EngineModule> | undefined;
let lastPanic = "";

function load(): Promise<EngineModule> {
  loaded ??= (async () => {
    const module: EngineModule = await import("@prisma/schema-engine-wasm/schema_engine_bg");
    const glue = createRequire(import.meta.url).resolve(
      "@prisma/schema-engine-wasm/schema_engine_bg",
    );
    const bytes = await readFile(join(dirname(glue), "schema_engine_bg.wasm"));
    const { instance } = await WebAssembly.instantiate(bytes, {
      "./schema_engine_bg.js": { ...module },
    });
    // Where the engine leaves its last words before it gives up.
    Object.assign(globalThis, {
      PRISMA_WASM_PANIC_REGISTRY: {
        set_message: (text: string) => {
          lastPanic = text;
        },
      },
    });
    module.__wbg_set_wasm(instance.exports);
    (instance.exports.__wbindgen_start as () => void)();
    return module;
  })();
  return loaded;
}

/** Runs one task with an engine whose statements all go through the pool. */
export async function withSchemaEngine<T>(
  pool: pg.Pool,
  task: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  const { SchemaEngine: Engine } = await load();
  const factory = bindMigrationAwareSqlAdapterFactory(adapterFactory(pool));
  const engine = await Engine.new({ datamodels: undefined }, () => {}, factory);
  try {
    return await task(engine);
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    throw new Error(`the schema engine gave up: ${lastPanic}`, { cause: error });
  } finally {
    engine.free();
  }
}

function adapterFactory(pool: pg.Pool): SqlMigrationAwareDriverAdapterFactory {
  const factory = new PrismaPg(pool);
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connectToShadowDb: () => factory.connectToShadowDb(),
    connect: async () => {
      const adapter = await factory.connect();
      readCharacters(pool, adapter);
      return adapter;
    },
  };
}

const CHARACTER_OID = 18;
const TEXT_OID = 25;

/** Has "char" columns read as text, then tells the engine what they are; its statements come one at a time. */
function readCharacters(pool: pg.Pool, adapter: SqlDriverAdapter): void {
  let characters: number[] = [];
  const query = pool.query.bind(pool) as (...args: [never]) => Promise<pg.QueryResult>;
  const queryRaw = adapter.queryRaw.bind(adapter);
  async function queryAsText(...args: [never]) {
    const result = await query(...args);
    characters = [];
    // A script has a list of results; none of them is read.
    for (const [index, field] of (result.fields ?? []).entries()) {
      if (field.dataTypeID !== CHARACTER_OID) continue;
      characters.push(index);
      field.dataTypeID = TEXT_OID;
    }
    return result;
  }

  pool.query = queryAsText as typeof pool.query;
  adapter.queryRaw = async (statement) => {
    const result = await queryRaw(statement);
    for (const index of characters) result.columnTypes[index] = ColumnTypeEnum.Character;
    return result;
  };
}
