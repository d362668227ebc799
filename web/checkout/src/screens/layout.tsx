import type { Look, Status } from "@pay/sdk/browser";
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { Speech, useSay } from "../speech.ts";
import { shownAmount } from "../view.ts";
import { LANGUAGES } from "../words.ts";

interface Props {
  status: Status | undefined;
  trouble: Look["kind"] | undefined;
  /** Nothing is known of the payment yet. */
  isLoading: boolean;
  onLanguage: (language: string) => void;
  children: ComponentChildren;
}

export function Layout({ status, trouble, isLoading, onLanguage, children }: Props) {
  const say = useSay();
  const isTest = status?.isTest || status?.isTestnet;
  // The payment comes into the middle, and what is in sight below it would move; it waits, unless the server is away.
  const hasFooter = !isLoading || trouble !== undefined;
  // The payment's page takes the place of the first one at once: parts that stayed would be pushed down by the new ones.
  return (
    <div class="page" key={isLoading ? "loading" : "shown"}>
      {isTest && <p class="ribbon">{say("test")}</p>}
      {trouble === "offline" && (
        <p class="ribbon warning" role="status">
          {say("offline")}
        </p>
      )}
      {trouble === "busy" && (
        <p class="ribbon warning" role="status">
          {say("busy")}
        </p>
      )}
      {status && <Header status={status} />}
      <main>{children}</main>
      {hasFooter && <Footer status={status} onLanguage={onLanguage} />}
    </div>
  );
}

function Header({ status }: { status: Status }) {
  const say = useSay();
  return (
    <header>
      {status.shop.logoUrl !== null && (
        <img class="logo" src={new URL(status.shop.logoUrl, location.href).pathname} alt="" />
      )}
      <p class="shop">{status.shop.displayName}</p>
      <p class="amount">
        <bdi>{shownAmount(status)}</bdi>
      </p>
      <p class="network">{say("onNetwork", { network: status.chainName })}</p>
      {status.description !== null && <p class="description">{status.description}</p>}
    </header>
  );
}

function Footer({ status, onLanguage }: Pick<Props, "status" | "onLanguage">) {
  const say = useSay();
  const { language } = useContext(Speech);
  const shop = status?.shop.displayName ?? "";
  const help = status?.shop.supportUrl ?? null;
  return (
    <footer>
      {help !== null && (
        <a href={help} rel="noreferrer noopener" target="_blank">
          {say("help", { shop })}
        </a>
      )}
      {status && <p>{say("soldBy", { shop })}</p>}
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
    </footer>
  );
}
