import { Icon } from "./icon.tsx";
import { useCopy } from "./id.tsx";

/** The request of a page for a terminal, with the caller's own key. */
export function CopyAsCurl({ path }: { path: string }) {
  const address = new URL(path, location.origin).href;
  const { isCopied, copy } = useCopy(`curl '${address}' -H "X-Secret-Key: $PAY_SECRET_KEY"`);
  return (
    <button type="button" className="button" onClick={copy}>
      <Icon name={isCopied ? "check" : "copy"} />
      {isCopied ? "Copied" : "Copy as curl"}
    </button>
  );
}
