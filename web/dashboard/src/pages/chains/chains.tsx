import { createLazyRoute } from "@tanstack/react-router";
import { formatSeconds, HEALTH_PATH, useChainHealth } from "../../api/chains.ts";
import type { ChainHealth } from "../../api/records.ts";
import { CopyAsCurl } from "../../parts/copy-as-curl.tsx";
import { Table } from "../../parts/list/table.tsx";
import { Network } from "../../parts/network.tsx";
import { Loaded, State } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import type { StatusWords } from "../../status-words.ts";

function describeState({ upToDate, secondsBehind }: ChainHealth): StatusWords {
  if (upToDate) return { word: "Up to date", tone: "good", icon: "check" };
  if (secondsBehind === null) {
    return { word: "Not followed yet", tone: "still", icon: "waiting" };
  }
  return { word: `${formatSeconds(secondsBehind)} behind`, tone: "heed", icon: "clock" };
}

function formatBlock(block: number | null): string {
  return block === null ? "–" : block.toLocaleString("en");
}

function describeFinality({ finality, confirmations }: ChainHealth): string {
  if (confirmations === null) return `Tag ${finality}`;
  return confirmations === 1 ? "1 block" : `${confirmations} blocks`;
}

const ADDRESSES_MAX = 1_000;

function Row({ chain }: { chain: ChainHealth }) {
  const { chainId, followedBlock, headBlock, providers, watchedAddresses, tokens } = chain;
  const isShort = providers.answering < providers.configured;
  return (
    <tr>
      <td>
        <Network chainId={chainId} />
      </td>
      <td className="r">
        <Status words={describeState(chain)} />
      </td>
      <td className="sub">
        {formatBlock(followedBlock)}
        {headBlock !== followedBlock && ` of ${formatBlock(headBlock)}`}
      </td>
      <td className="wide">{describeFinality(chain)}</td>
      <td className={isShort ? "when r strong" : "when r"}>
        {providers.answering} of {providers.configured} answer
      </td>
      <td className="wide right">
        {watchedAddresses < ADDRESSES_MAX ? watchedAddresses : "1,000 or more"}
      </td>
      <td className="wide grow sub">{tokens.map(({ symbol }) => symbol).join(", ") || "–"}</td>
    </tr>
  );
}

const COLUMNS = [
  { name: "Network" },
  { name: "State" },
  { name: "Followed block" },
  { name: "Final after", isWide: true },
  { name: "Providers" },
  { name: "Watched addresses", isWide: true, isRight: true },
  { name: "Tokens", isWide: true },
];

function Chains() {
  const query = useChainHealth();
  return (
    <>
      <title>Chains</title>
      <div className="page-head">
        <h1>Chains</h1>
        <div className="end">
          <CopyAsCurl path={HEALTH_PATH} />
        </div>
      </div>
      <p className="quiet gap-2">
        A payment is confirmed when its block is final. While a chain is behind, money arrives and
        is confirmed later.
      </p>
      <Loaded query={query} what="the chains">
        {({ body }) =>
          body.length === 0 ? (
            <State icon="chains" title="No chain is offered">
              The operator names providers; a chain appears when one of them answers.
            </State>
          ) : (
            <Table columns={COLUMNS}>
              {body.map((chain) => (
                <Row key={chain.chainId} chain={chain} />
              ))}
            </Table>
          )
        }
      </Loaded>
    </>
  );
}

export const Route = createLazyRoute("/chains")({ component: Chains });
