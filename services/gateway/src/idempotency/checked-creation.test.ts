import { expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import { createChecked } from "./checked-creation.ts";

const REFUSAL = new Failure("chain_unsupported", "chainId is not supported");
const NOT_FOUND = new Failure("payment_not_found", "Payment not found");

function creation({ isRepeatable = true, isRefused = true, isKnown = true }) {
  const asked: string[] = [];
  const answer = createChecked({
    isRepeatable,
    check: () => {
      if (isRefused) throw REFUSAL;
    },
    create: async (replayOnly) => {
      asked.push(replayOnly ? "replay" : "create");
      if (replayOnly && !isKnown) throw NOT_FOUND;
      return "answer";
    },
  });
  return { asked, answer };
}

test("what passes its check is created", async () => {
  const { asked, answer } = creation({ isRefused: false });
  expect(await answer).toBe("answer");
  expect(asked).toEqual(["create"]);
});

test("what would be refused today gets the answer that it had, and creates nothing", async () => {
  const { asked, answer } = creation({});
  expect(await answer).toBe("answer");
  expect(asked).toEqual(["replay"]);
});

test("what was not created before is refused, and so is what has no key", async () => {
  await expect(creation({ isKnown: false }).answer).rejects.toBe(REFUSAL);
  const withoutKey = creation({ isRepeatable: false });
  await expect(withoutKey.answer).rejects.toBe(REFUSAL);
  expect(withoutKey.asked).toEqual([]);
});
