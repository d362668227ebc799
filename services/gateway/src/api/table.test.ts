import { expect, test } from "@jest/globals";
import { SCOPES, UNRESTRICTED_LIVE } from "../keys/caller.ts";
import { ROUTES } from "./table.ts";

test("every scope that is offered opens a route or a field, and nothing needs another one", () => {
  const needed = ROUTES.flatMap(({ scope, needs = {} }) => [
    ...(scope === undefined ? [] : [scope]),
    ...Object.values(needs).filter((need) => need !== UNRESTRICTED_LIVE),
  ]);
  expect([...SCOPES].sort()).toEqual([...new Set(needed)].sort());
});
