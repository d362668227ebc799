import { Icon } from "./icon.tsx";
import { useCopy } from "./id.tsx";

/** The request of a page for a terminal, with the caller's own key. */
export function CopyAsCurl({ method = "GET", path }: { method?: string; path: string }) {
  // Parameters in braces stay readable.
  const address = location.origin + path;
  const chosen = method === "GET" ? "" : `-X ${method} `;
  const { isCopied, copy } = useCopy(
    `curl ${chosen}'${address}' -H "X-Secret-Key: $PAY_SECRET_KEY"`,
  );
  return (
    <button type="button" className="button" onClick={copy}>
      <Icon name={isCopied ? "check" : "copy"} />
      {isCopied ? "Copied" : "Copy as curl"}
    </button>
  );
}
