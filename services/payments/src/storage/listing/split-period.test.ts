import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Piece, splitPeriod } from "./split-period.ts";

function at(text: string) {
  return new Date(`2026-03-${text}Z`);
}

function shown(pieces: Piece[]) {
  return pieces.map(({ grain = "row", from, before }) => [grain, from, before]);
}

test.each([
  ["a day", at("01T00:00"), at("02T00:00"), [["day", at("01T00:00"), at("02T00:00")]]],
  [
    "an hour and its ends",
    at("01T10:59:59.999"),
    at("01T12:00:00.001"),
    [
      ["row", at("01T10:59:59.999"), at("01T11:00")],
      ["hour", at("01T11:00"), at("01T12:00")],
      ["row", at("01T12:00"), at("01T12:00:00.001")],
    ],
  ],
  ["within an hour", at("01T10:01"), at("01T10:02"), [["row", at("01T10:01"), at("01T10:02")]]],
  [
    "two days and more",
    at("01T22:30"),
    at("04T01:00"),
    [
      ["row", at("01T22:30"), at("01T23:00")],
      ["hour", at("01T23:00"), at("02T00:00")],
      ["day", at("02T00:00"), at("04T00:00")],
      ["hour", at("04T00:00"), at("04T01:00")],
    ],
  ],
  ["nothing", at("02T00:00"), at("02T00:00"), []],
  ["backwards", at("03T00:00"), at("02T00:00"), []],
  [
    "from then on",
    at("01T22:30"),
    undefined,
    [
      ["row", at("01T22:30"), at("01T23:00")],
      ["hour", at("01T23:00"), at("02T00:00")],
      ["day", at("02T00:00"), undefined],
    ],
  ],
  [
    "up to then",
    undefined,
    at("02T01:00:01"),
    [
      ["day", undefined, at("02T00:00")],
      ["hour", at("02T00:00"), at("02T01:00")],
      ["row", at("02T01:00"), at("02T01:00:01")],
    ],
  ],
] as [string, Date | undefined, Date | undefined, unknown[]][])("%s", (_, from, before, pieces) => {
  expect(shown(splitPeriod(from, before))).toEqual(pieces);
});

test("pieces follow each other without gap or overlap, and rows are never more than two hours' worth", () => {
  const times = fc.integer({ min: 0, max: 4_000_000_000 });
  fc.assert(
    fc.property(times, times, (one, other) => {
      const [from, before] = [new Date(Math.min(one, other)), new Date(Math.max(one, other))];
      const pieces = splitPeriod(from, before);
      let end = from;
      for (const piece of pieces) {
        expect(piece.from).toEqual(end);
        end = piece.before as Date;
        if (piece.grain !== undefined) continue;
        expect(end.getTime() - (piece.from as Date).getTime()).toBeLessThan(2 * 3_600_000);
      }
      expect(end).toEqual(before);
    }),
  );
});
