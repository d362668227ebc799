import type { Look, Status } from "@pay/sdk/browser";
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { isUntouched, type View } from "../view.ts";
import { LANGUAGES, Speech, useSay } from "../words.ts";
import { Bill } from "./bill.tsx";

interface Props {
  status: Status | undefined;
  trouble: Look["kind"] | undefined;
  view: View;
  isOver: boolean;
  onLanguage: (language: string) => void;
  children: ComponentChildren;
}

export function Layout({ status, trouble, view, isOver, onLanguage, children }: Props) {
  const say = useSay();
  const isTest = status?.isTest || status?.isTestnet;
  const isLoading = view === "loading";
  // The payment comes into the middle, and what is in sight below it would move; it waits, unless the server is away.
  const hasFooter = !isLoading || trouble !== undefined;
  // The payment's page takes the place of the first one at once: parts that stayed would be pushed down by the new
  // ones.
  return (
    <div class="till" key={isLoading ? "loading" : "shown"}>
      <div class="ribbons">
        {isTest && <p class="ribbon">{say("test")}</p>}
        {(trouble === "offline" || trouble === "busy") && (
          <p class="ribbon" role="status">
            {say(trouble)}
          </p>
        )}
      </div>
      <main class={status === undefined ? "alone" : ""}>
        {status && <Bill status={status} isReady={view === "ready"} isOver={isOver} />}
        <div class="pay">{children}</div>
      </main>
      {hasFooter ? <Footer status={status} isOver={isOver} onLanguage={onLanguage} /> : <span />}
    </div>
  );
}

function Footer({ status, isOver, onLanguage }: Pick<Props, "status" | "isOver" | "onLanguage">) {
  const say = useSay();
  const { language } = useContext(Speech);
  const shop = status?.shop.displayName ?? "";
  return (
    <footer>
      <span>{status && say("soldBy", { shop })}</span>
      <div class="ways">
        {status && !isOver && <WayBack status={status} />}
        {status && <ShopLink status={status} />}
        <label class="language">
          <span>{say("language")}</span>
          <select value={language} onChange={(event) => onLanguage(event.currentTarget.value)}>
            {Object.entries(LANGUAGES).map(([tag, name]) => (
              <option key={tag} value={tag} lang={tag}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
    </footer>
  );
}

/** For a customer who does not want to pay. */
function WayBack({ status }: { status: Status }) {
  const say = useSay();
  if (status.cancelUrl === null || !isUntouched(status)) return null;
  return (
    <a href={status.cancelUrl} rel="noreferrer">
      {say("returnToShop", { shop: status.shop.displayName })}
    </a>
  );
}

/** Where the shop answers questions, if it has named such a place. */
export function ShopLink({ status: { shop } }: { status: Status }) {
  const say = useSay();
  if (shop.supportUrl === null) return null;
  return (
    <a href={shop.supportUrl} rel="noreferrer noopener" target="_blank">
      {say("help", { shop: shop.displayName })}
    </a>
  );
}
