// What the command of the books prints of a wallet.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { toBaseUnits } from "@pay/values";

const COMMAND = fileURLToPath(new URL("../../services/chains/src/books/main.ts", import.meta.url));
const DAY_MS = 24 * 3_600_000;
const DECIMALS = 18;
const AMOUNT = /\d+(?:\.\d+)?/g;

export interface WalletBooks {
  /** Native coin by the names of the lines; "foreign" is what came in and what went out. */
  sums: Record<string, bigint[]>;
  balance: bigint | undefined;
  /** The last line. */
  differences: string;
}

/** What the command prints with these arguments, where the product runs. */
export type PrintBooks = (args: readonly string[]) => Promise<string>;

/** Beside a product that was started with this folder. */
export function booksBeside(dataDir: string): PrintBooks {
  return async (args) => {
    const env = { DATA_DIR: dataDir };
    return (await promisify(execFile)(process.execPath, [COMMAND, ...args], { env })).stdout;
  };
}

interface BookReport {
  projectId: string;
  mode: "live" | "test";
  wallet: string;
  since: number;
}

/** In the day of that time and the next one: a story may begin before midnight. */
export async function walletBooks(
  print: PrintBooks,
  { projectId, mode, wallet, since }: BookReport,
): Promise<WalletBooks> {
  const books: WalletBooks = { sums: {}, balance: undefined, differences: "" };
  for (const at of [since, since + DAY_MS]) {
    const day = new Date(at).toISOString().slice(0, 10);
    const printed = await print(["--project", projectId, "--day", day]);
    const lines = printed.trimEnd().split("\n");
    const head = lines.findIndex(
      (line) => line.startsWith(mode) && line.includes(`${wallet} ETH: `),
    );
    const own = lines.slice(head + 1);
    const end = own.findIndex((line) => !line.startsWith("  "));
    books.balance = amountsIn(lines[head]?.split(": ")[1] ?? "")[0];
    books.differences = lines.at(-1) ?? "";
    for (const line of own.slice(0, end)) {
      const [name = ""] = line.trim().split(" ");
      const known = books.sums[name] ?? [];
      books.sums[name] = amountsIn(line).map((amount, nth) => amount + (known[nth] ?? 0n));
    }
  }
  return books;
}

function amountsIn(text: string): bigint[] {
  return (text.match(AMOUNT) ?? []).flatMap((amount) => toBaseUnits(amount, DECIMALS) ?? []);
}
