// What a file of movements holds. The choice is part of the address.

/** Without a choice, in this order. */
export const COLUMNS = [
  ["recordedAt", "Time of recording"],
  ["minedAt", "Time of the block"],
  ["type", "Payment, refund or settlement"],
  ["id", "Id"],
  ["paymentId", "Payment"],
  ["orderId", "Order"],
  ["amount", "Amount"],
  ["baseAmount", "Amount in the smallest unit"],
  ["currency", "Contract of the token"],
  ["symbol", "Token"],
  ["chainId", "Network"],
  ["txHash", "Transaction"],
  ["logIndex", "Place in the transaction"],
  ["blockNumber", "Block"],
  ["fromAddress", "From"],
  ["toAddress", "To"],
  ["displayAmount", "Shop’s price"],
  ["displayCurrency", "Currency of the price"],
] as const;

export const FORMATS = [
  ["csv", "CSV"],
  ["excel", "CSV for Excel"],
  ["jsonl", "JSON lines"],
] as const;

export type Format = (typeof FORMATS)[number][0];

export interface FileChoice {
  columns?: string | undefined;
  format?: Format | undefined;
}

const KEY = /^[^,]{1,40}$/;

function isColumn(name: string): boolean {
  const key = name.startsWith("metadata.") ? name.slice("metadata.".length) : undefined;
  return key === undefined ? COLUMNS.some(([column]) => column === name) : KEY.test(key);
}

export function parseChoice({ columns, format }: Record<string, unknown>): FileChoice {
  const isKnown = typeof columns === "string" && columns.split(",").every(isColumn);
  const found = FORMATS.find(([name]) => name === format)?.[0];
  return { ...(isKnown && { columns }), ...(found && found !== "csv" && { format: found }) };
}

export function listColumns({ columns }: FileChoice): readonly string[] {
  return columns?.split(",") ?? COLUMNS.map(([name]) => name);
}

/** Metadata keys that are columns. */
export function listKeys(choice: FileChoice): readonly string[] {
  return listColumns(choice)
    .filter((name) => name.startsWith("metadata."))
    .map((name) => name.slice("metadata.".length));
}

/** Undefined where it is the choice without a choice. */
export function formatColumns(names: readonly string[], keys: readonly string[]) {
  const columns = [...names, ...keys.map((key) => `metadata.${key}`)].join(",");
  return columns === COLUMNS.map(([name]) => name).join(",") ? undefined : columns;
}

/** The request for the file of a period. */
export function buildFile(choice: FileChoice, { from, to }: { from: string; to: string }) {
  const { format = "csv" } = choice;
  const isCsv = format !== "jsonl";
  const query = new URLSearchParams({ from, to, columns: listColumns(choice).join(",") });
  if (format === "excel") query.set("bom", "true");
  return {
    path: `/v1/statements?${query}`,
    accept: isCsv ? "text/csv" : "application/jsonl",
    extension: isCsv ? "csv" : "jsonl",
  };
}
