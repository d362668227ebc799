import { useChain } from "../api/queries.ts";

/** Square in the colour of a known network; its name always stands beside it. */
const COLOURED = new Set([1, 10, 56, 137, 8453, 42161, 43114]);

export function Network({ chainId }: { chainId: number }) {
  const chain = useChain(chainId);
  return (
    <span className="net">
      <i className={COLOURED.has(chainId) ? `net-${chainId}` : ""} />
      {chain?.name ?? `Chain ${chainId}`}
    </span>
  );
}
