// What a statement takes and answers, by PostgreSQL's own protocol: it parses and describes, and no row is read.
import type pg from "pg";

export interface ResultColumn {
  name: string;
  type: number;
  /** Where the value comes from; 0 for an expression. */
  table: number;
  column: number;
}

export interface Described {
  parameters: number[];
  columns: ResultColumn[];
}

interface Field {
  name: string;
  dataTypeID: number;
  tableID: number;
  columnID: number;
}

/** The part of pg's connection that cursors use, too; its types do not list it. */
interface Connection {
  parse(query: { name: string; text: string; types: number[] }): void;
  describe(what: { type: "S"; name: string }): void;
  sync(): void;
  on(event: "parameterDescription", listener: (message: { dataTypeIDs: number[] }) => void): void;
  off(event: "parameterDescription", listener: (message: { dataTypeIDs: number[] }) => void): void;
}

export function describeStatement(client: pg.Client, text: string): Promise<Described> {
  const { connection } = client as unknown as { connection: Connection };
  return new Promise((resolve, reject) => {
    const described: Described = { parameters: [], columns: [] };
    function onParameters({ dataTypeIDs }: { dataTypeIDs: number[] }) {
      described.parameters = dataTypeIDs;
    }

    connection.on("parameterDescription", onParameters);
    const request = {
      submit() {
        connection.parse({ name: "", text, types: [] });
        connection.describe({ type: "S", name: "" });
        connection.sync();
      },
      handleRowDescription({ fields }: { fields: Field[] }) {
        described.columns = fields.map(({ name, dataTypeID, tableID, columnID }) => ({
          name,
          type: dataTypeID,
          table: tableID,
          column: columnID,
        }));
      },
      // One of the two is called, and once.
      handleError(error: Error) {
        connection.off("parameterDescription", onParameters);
        reject(error);
      },
      handleReadyForQuery() {
        connection.off("parameterDescription", onParameters);
        resolve(described);
      },
    };
    client.query(request as unknown as pg.Submittable);
  });
}

export interface Catalog {
  /** By oid. */
  types: ReadonlyMap<number, { name: string; element: number }>;
  /** By the table's oid and the column's number. */
  columns: ReadonlyMap<string, { table: string; name: string; isRequired: boolean }>;
  tables: ReadonlyMap<string, readonly string[]>;
}

export async function readCatalog(client: pg.Client): Promise<Catalog> {
  const types = await client.query<{ oid: number; typname: string; typelem: number }>(
    "select oid::int, typname, case when typcategory = 'A' then typelem::int else 0 end as typelem from pg_type",
  );
  const columns = await client.query<{
    key: string;
    relname: string;
    attname: string;
    attnotnull: boolean;
  }>(
    `select format('%s %s', attrelid::int, attnum) as key, relname, attname, attnotnull
     from pg_attribute join pg_class on pg_class.oid = attrelid
     where attnum > 0 and not attisdropped and relkind in ('r', 'p', 'v')
       and relnamespace = 'public'::regnamespace
     order by attrelid, attnum`,
  );
  const tables = new Map<string, string[]>();
  for (const { relname, attname } of columns.rows) {
    tables.set(relname, [...(tables.get(relname) ?? []), attname]);
  }
  return {
    types: new Map(
      types.rows.map(({ oid, typname, typelem }) => [oid, { name: typname, element: typelem }]),
    ),
    columns: new Map(
      columns.rows.map(({ key, relname, attname, attnotnull }) => [
        key,
        { table: relname, name: attname, isRequired: attnotnull },
      ]),
    ),
    tables,
  };
}
