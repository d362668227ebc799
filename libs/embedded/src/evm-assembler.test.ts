import { expect, test } from "@jest/globals";
import { assemble, creationCode } from "./evm-assembler.ts";

test("instructions, operands and jump targets become their bytes", () => {
  expect(assemble("1 0xff00 ADD ; a comment\n 0 MSTORE")).toBe("600161ff00015f52");
  expect(assemble("@end JUMP end: STOP")).toBe("610004565b00");
});

test("an operand keeps the width it is written with", () => {
  expect(assemble("0x0001 0x1 0")).toBe("61000160015f");
});

test("a word that is no instruction, a missing and a double target are refused", () => {
  expect(() => assemble("JUMPS")).toThrow("unknown word JUMPS");
  expect(() => assemble("@nowhere JUMP")).toThrow("jump target nowhere is not marked");
  expect(() => assemble("a: a:")).toThrow("jump target a is marked twice");
  expect(() => assemble(`0x${"11".repeat(33)}`)).toThrow("wider than a word");
});

test("creation code returns exactly the runtime code behind it", () => {
  expect(creationCode("1 2 SSTORE", "00fe")).toBe("6001600255610002806100105f395ff300fe");
});
