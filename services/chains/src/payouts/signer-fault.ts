// What an operator has to correct before a signer can be opened.
import { readFileSync } from "node:fs";

/** One line, without anything that a file holds. */
export class SignerFault extends Error {}

export function readSignerFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new SignerFault(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
