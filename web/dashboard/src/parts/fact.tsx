import type { ReactNode } from "react";
import { useChain } from "../api/queries.ts";
import { Id } from "./id.tsx";

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A transaction, with its page in the explorer of the network. */
export function Hash({ chainId, text }: { chainId: number; text: string }) {
  const explorer = useChain(chainId)?.blockExplorerUrl?.replace(/\/$/, "");
  return <Id text={text} label="transaction hash" href={explorer && `${explorer}/tx/${text}`} />;
}
