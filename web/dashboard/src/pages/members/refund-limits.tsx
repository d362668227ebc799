// What a person may refund a day although the role may not.
import { useState } from "react";
import type { Member } from "../../api/records.ts";
import { Options } from "../../parts/choice.tsx";
import { useWays } from "../../parts/use-ways.ts";

type Limit = Member["refundLimits"][number];

const LIMITS_MAX = 20;

function toWay({ chainId, currency }: Limit): string {
  return `${chainId} ${currency}`;
}

/** Rows without an amount are left out. */
export function readLimits(form: FormData): Limit[] {
  const ways = form.getAll("limitWay").map(String);
  return form.getAll("limitAmount").flatMap((amount, at) => {
    const perDay = String(amount).trim();
    const [chainId, currency = ""] = (ways[at] ?? "").split(" ");
    return perDay === "" ? [] : [{ chainId: Number(chainId), currency, perDay }];
  });
}

export function RefundLimits({ limits }: { limits: readonly Limit[] }) {
  const [count, setCount] = useState(Math.max(1, limits.length));
  const offered = useWays(() => true);
  const known = new Set(offered.map(([way]) => way));
  // Of a currency that is not listed, or not yet.
  const others = limits.map(toWay).filter((way) => !known.has(way));
  const ways = [...offered, ...others.map((way): [string, string] => [way, way])];
  if (ways.length === 0) return null;
  return (
    <fieldset className="limits">
      <legend>May refund a day, to wallets that paid</legend>
      {Array.from({ length: count }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows are only added at the end
        <div className="pair" key={at}>
          <input
            className="field"
            name="limitAmount"
            aria-label="Amount a day"
            placeholder="Nothing"
            defaultValue={limits[at]?.perDay}
            inputMode="decimal"
            pattern="\s*\d+(\.\d+)?\s*"
            title="A number with a point, e.g. 24.5"
            autoComplete="off"
          />
          <select
            // Tokens may come after the page.
            key={ways.length}
            className="field"
            name="limitWay"
            aria-label="Token and network"
            defaultValue={limits[at] ? toWay(limits[at]) : ways[at]?.[0]}
          >
            <Options of={ways} />
          </select>
        </div>
      ))}
      {count < LIMITS_MAX && (
        <button type="button" className="button" onClick={() => setCount(count + 1)}>
          Another currency
        </button>
      )}
      <span className="tip">For a role that may not refund; others refund without a limit</span>
    </fieldset>
  );
}
