// A small assembler for contracts that only ever run on development chains, so that no compiler is needed.
// One instruction or operand per word; `;` starts a comment. `name:` marks a jump target, `@name` pushes its
// position, and a number (decimal or 0x) is pushed with as few bytes as it has digits for.

const OPCODES: Record<string, number> = {
  ...{ STOP: 0x00, ADD: 0x01, MUL: 0x02, SUB: 0x03, DIV: 0x04, MOD: 0x06, EXP: 0x0a },
  ...{ LT: 0x10, GT: 0x11, EQ: 0x14, ISZERO: 0x15, AND: 0x16, OR: 0x17, XOR: 0x18, NOT: 0x19 },
  ...{ SHL: 0x1b, SHR: 0x1c, KECCAK256: 0x20, ADDRESS: 0x30, BALANCE: 0x31, ORIGIN: 0x32 },
  ...{ CALLER: 0x33, CALLVALUE: 0x34, CALLDATALOAD: 0x35, CALLDATASIZE: 0x36 },
  ...{ CALLDATACOPY: 0x37, CODESIZE: 0x38, CODECOPY: 0x39, RETURNDATASIZE: 0x3d },
  ...{ RETURNDATACOPY: 0x3e, TIMESTAMP: 0x42, NUMBER: 0x43, SELFBALANCE: 0x47, POP: 0x50 },
  ...{ MLOAD: 0x51, MSTORE: 0x52, MSTORE8: 0x53, SLOAD: 0x54, SSTORE: 0x55, JUMP: 0x56 },
  ...{ JUMPI: 0x57, GAS: 0x5a, CREATE: 0xf0, CALL: 0xf1, RETURN: 0xf3, DELEGATECALL: 0xf4 },
  ...{ STATICCALL: 0xfa, REVERT: 0xfd, INVALID: 0xfe, SELFDESTRUCT: 0xff },
  ...numbered("DUP", 1, 16, 0x80),
  ...numbered("SWAP", 1, 16, 0x90),
  ...numbered("LOG", 0, 4, 0xa0),
};
const JUMPDEST = 0x5b;
const PUSH0 = 0x5f;
// Jump targets are always pushed with two bytes, so that positions are known before they are filled in.
const TARGET_BYTES = 2;

function numbered(name: string, from: number, to: number, code: number): Record<string, number> {
  const entries: [string, number][] = [];
  for (let n = from; n <= to; n++) entries.push([`${name}${n}`, code + n - from]);
  return Object.fromEntries(entries);
}

/** The bytecode of a source, as hex without 0x. */
export const assemble = (source: string): string => {
  const bytes: number[] = [];
  const targets = new Map<string, number>();
  const holes: { at: number; name: string }[] = [];
  for (const word of wordsOf(source)) {
    const opcode = OPCODES[word];
    if (opcode !== undefined) bytes.push(opcode);
    else if (word.endsWith(":")) {
      const name = word.slice(0, -1);
      if (targets.has(name)) throw new Error(`jump target ${name} is marked twice`);
      targets.set(name, bytes.length);
      bytes.push(JUMPDEST);
    } else if (word.startsWith("@")) {
      bytes.push(PUSH0 + TARGET_BYTES);
      holes.push({ at: bytes.length, name: word.slice(1) });
      bytes.push(0, 0);
    } else bytes.push(...push(word));
  }
  for (const { at, name } of holes) {
    const target = targets.get(name);
    if (target === undefined) throw new Error(`jump target ${name} is not marked`);
    bytes[at] = target >> 8;
    bytes[at + 1] = target & 0xff;
  }
  return Buffer.from(bytes).toString("hex");
};

/** Code for a creation transaction: runs the constructor, then leaves the runtime code behind. */
export const creationCode = (constructorSource: string, runtime: string): string => {
  const before = assemble(constructorSource);
  const tail = (start: number) =>
    assemble(`${wide(runtime.length / 2)} DUP1 ${wide(start)} 0 CODECOPY 0 RETURN`);
  return before + tail((before.length + tail(0).length) / 2) + runtime;
};

const wordsOf = (source: string): string[] =>
  source
    .split("\n")
    .map((line) => line.split(";", 1)[0] ?? "")
    .join(" ")
    .split(/\s+/)
    .filter((word) => word !== "");

const push = (word: string): number[] => {
  if (!/^(0x[0-9a-f]+|[0-9]+)$/i.test(word)) throw new Error(`unknown word ${word}`);
  // Written-out zeros in front are kept: they make the width of an operand explicit.
  const digits = word.startsWith("0x") ? word.slice(2) : BigInt(word).toString(16);
  if (/^0$/.test(digits)) return [PUSH0];
  const operand = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
  if (operand.length > 32) throw new Error(`operand ${word} is wider than a word`);
  return [PUSH0 + operand.length, ...operand];
};

const wide = (value: number): string => `0x${value.toString(16).padStart(4, "0")}`;
