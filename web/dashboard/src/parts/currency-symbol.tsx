import { formatAmount } from "../amounts.ts";
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

/** An amount in a row of a list. */
export function Money({
  amount,
  chainId,
  currency,
}: {
  amount: string;
  chainId: number | undefined;
  currency: string | undefined;
}) {
  return (
    <>
      <b>{formatAmount(amount)}</b>{" "}
      <span>{currency && <CurrencySymbol chainId={chainId} currency={currency} />}</span>
    </>
  );
}
