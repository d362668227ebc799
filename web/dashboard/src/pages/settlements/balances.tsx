// What each wallet holds, and what of it can be settled.
import { useState } from "react";
import { isZero } from "../../amounts.ts";
import type { BalanceItem } from "../../api/records.ts";
import { Money } from "../../parts/currency-symbol.tsx";
import { Id } from "../../parts/id.tsx";
import { Table } from "../../parts/list/table.tsx";
import { Network } from "../../parts/network.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useBalances } from "./use-balances.ts";

function Holding({ item: { balance, blockNumber, chainId, currency } }: { item: BalanceItem }) {
  if (balance === null || blockNumber === null) return <span className="faint">Not read yet</span>;
  return (
    <span title={`As of block ${blockNumber.toLocaleString("en")}`}>
      <Money amount={balance} chainId={chainId} currency={currency} />
    </span>
  );
}

function Unswept({ item: { unswept, chainId, currency } }: { item: BalanceItem }) {
  if (unswept === null || isZero(unswept)) return <span className="faint">–</span>;
  return <Money amount={unswept} chainId={chainId} currency={currency} />;
}

function Row({ item }: { item: BalanceItem }) {
  const { chainId, walletAddress, currency, available } = item;
  return (
    <tr>
      <td className="amount">
        <Money amount={available} chainId={chainId} currency={currency} />
      </td>
      <td className="amount r">
        <Holding item={item} />
      </td>
      <td className="amount r">
        <Unswept item={item} />
      </td>
      <td className="grow sub">
        <Id text={walletAddress} label="wallet" />
      </td>
      <td className="when r">
        <Network chainId={chainId} />
      </td>
    </tr>
  );
}

const COLUMNS = [
  { name: "Can be settled" },
  { name: "Wallet holds" },
  { name: "On its way" },
  { name: "Wallet" },
  { name: "Network" },
];

export function Balances() {
  const [after, setAfter] = useState<string>();
  const query = useBalances(after);
  const next = query.data?.headers.get("X-Next-After") ?? undefined;
  return (
    <section className="section" aria-label="Balances">
      <header>
        <h2>Balances</h2>
      </header>
      <Loaded query={query} what="the balances">
        {({ body: { data } }) =>
          data.length === 0 ? (
            <p className="quiet gap-2">No wallet has received anything yet.</p>
          ) : (
            <>
              <Table columns={COLUMNS}>
                {data.map((item) => (
                  <Row
                    key={[item.chainId, item.walletAddress, item.currency].join(" ")}
                    item={item}
                  />
                ))}
              </Table>
              <div className="list-foot">
                <span>
                  What a wallet holds is read from final blocks, every few minutes, and includes
                  money of no payment. What is on its way is at deposit addresses.
                </span>
                <span className="end">
                  {after !== undefined && (
                    <button type="button" className="button" onClick={() => setAfter(undefined)}>
                      First wallets
                    </button>
                  )}
                  {next !== undefined && (
                    <button type="button" className="button" onClick={() => setAfter(next)}>
                      More wallets
                    </button>
                  )}
                </span>
              </div>
            </>
          )
        }
      </Loaded>
    </section>
  );
}
