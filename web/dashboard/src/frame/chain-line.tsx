// One line below the navigation: whether all chains are up to date, else which one is not.
import { Link } from "@tanstack/react-router";
import { formatSeconds, useChainHealth } from "../api/chains.ts";
import type { ChainHealth } from "../api/records.ts";
import { hasScope, useWorkspace } from "../api/session.ts";

function describe(chains: readonly ChainHealth[]): string {
  const late = chains
    .filter(({ upToDate }) => !upToDate)
    .sort((one, other) => (other.secondsBehind ?? 0) - (one.secondsBehind ?? 0));
  const [worst] = late;
  if (worst === undefined) {
    return chains.length === 1 ? "1 chain up to date" : `${chains.length} chains up to date`;
  }
  const { name, secondsBehind } = worst;
  const others = late.length === 1 ? "" : `, ${late.length - 1} more too`;
  return secondsBehind === null
    ? `${name} is not followed yet${others}`
    : `${name} is ${formatSeconds(secondsBehind)} behind${others}`;
}

export function ChainLine() {
  const { data } = useChainHealth(hasScope(useWorkspace(), "payments:read"));
  const chains = data?.body;
  if (chains === undefined || chains.length === 0) return null;
  const isGood = chains.every(({ upToDate }) => upToDate);
  return (
    <p>
      <span className={isGood ? "dot good" : "dot heed"} />
      <Link to="/chains">{describe(chains)}</Link>
    </p>
  );
}
