import { useSymbol } from "../api/queries.ts";
import { shortenId } from "./id.tsx";

/** Symbol of a currency; the contract's address where it is not listed any more. */
export function CurrencySymbol({
  chainId,
  currency,
}: {
  chainId: number | undefined;
  currency: string;
}) {
  const symbol = useSymbol(chainId, currency);
  return <>{symbol ?? (currency === "native" ? "" : shortenId(currency))}</>;
}
