// Contracts that do odd things on purpose, written out because there is no compiler here.
import { assemble, creationCode } from "@pay/embedded";

const word = (value: bigint | string): string =>
  (typeof value === "bigint" ? value.toString(16) : value.toLowerCase().slice(2)).padStart(64, "0");

/** Creation code of a contract without a constructor. */
const contract = (source: string): string => creationCode("", assemble(source));

const logOf = (topics: number): string => {
  const data = 1 + 32 * topics;
  const reversed = Array.from({ length: topics }, (_, at) => topics - 1 - at);
  return `
  log${topics}:
    ${data} CALLDATASIZE SUB ${data} 0 CALLDATACOPY
    ${reversed.map((at) => `${1 + 32 * at} CALLDATALOAD`).join(" ")}
    ${data} CALLDATASIZE SUB 0 LOG${topics} STOP`;
};

/** Logs whatever it is told to; as a token it has six decimals. */
export const SCRIBE = contract(`
    4 CALLDATASIZE EQ @decimals JUMPI
    0 CALLDATALOAD 248 SHR
    ${[0, 1, 2, 3, 4].map((n) => `DUP1 ${n} EQ @log${n} JUMPI`).join(" ")}
    0 0 REVERT
  decimals:
    6 0 MSTORE 0x20 0 RETURN
  ${[0, 1, 2, 3, 4].map(logOf).join("\n")}`);

/** What to tell the scribe. Topics and data are hex; topics are filled up to words. */
export const logging = (topics: readonly (string | bigint)[], data: string): string =>
  `0x${topics.length.toString(16).padStart(2, "0")}${topics.map(word).join("")}${data.replace("0x", "")}`;

export const amountData = (value: bigint): string => `0x${word(value)}`;

/** A wallet: makes the calls it is told to make, and goes on when one of them fails. */
export const WALLET = contract(`
    0                                          ; [p]
  loop:
    DUP1 CALLDATASIZE EQ @done JUMPI
    DUP1 64 ADD CALLDATALOAD                   ; [p length]
    DUP1 DUP3 96 ADD 0 CALLDATACOPY
    0 0 DUP3 0 DUP6 32 ADD CALLDATALOAD DUP7 CALLDATALOAD GAS CALL POP
    ADD 96 ADD
    @loop JUMP
  done:
    STOP`);

/** What to tell the wallet. */
export const calls = (list: readonly { to: string; value?: bigint; data?: string }[]): string =>
  `0x${list
    .map(({ to, value = 0n, data = "0x" }) => {
      const bytes = data.slice(2);
      return word(to) + word(value) + word(BigInt(bytes.length / 2)) + bytes;
    })
    .join("")}`;

/** Passes on what it gets to the address it is given, then undoes it all. */
export const REGRETTER = contract(`
    0 0 0 0 CALLVALUE 0 CALLDATALOAD GAS CALL POP
    0 0 REVERT`);

/** Keeps what it gets until it is told an address; then it ends and leaves everything there. */
export const WILL = contract("CALLDATASIZE @end JUMPI STOP end: 0 CALLDATALOAD SELFDESTRUCT");

export const addressData = (address: string): string => `0x${word(address)}`;
