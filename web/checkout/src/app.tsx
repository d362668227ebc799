import { type Follower, follow, type Look, type Server, type Status } from "@pay/sdk/browser";
import { useEffect, useMemo, useState } from "preact/hooks";
import { applyColor } from "./colors.ts";
import { type Link, useServer } from "./opened.ts";
import { Layout } from "./screens/layout.tsx";
import { Notice } from "./screens/notice.tsx";
import { Ready } from "./screens/ready.tsx";
import { Result } from "./screens/result.tsx";
import { useSubmission } from "./submit.ts";
import { useTimeLeft } from "./time-left.ts";
import { chooseView, shownAmount } from "./view.ts";
import { chooseLanguage, getDirection, loadWords, Speech, type Words } from "./words.ts";

interface Props {
  link: Link;
  firstLanguage: string;
  /** Whether the link names the language. */
  isChosen: boolean;
  firstWords: Words;
}

export function App({ link, firstLanguage, isChosen, firstWords }: Props) {
  const { id } = link;
  const { server, opening } = useServer(link);
  const [language, setLanguage] = useState(firstLanguage);
  const [words, setWords] = useState(firstWords);
  const { status, trouble, follower } = useStatus(server);
  const submission = useSubmission({ id, server, status, onTaken: () => follower?.refresh() });
  const speech = useMemo(() => ({ language, words }), [language, words]);

  useEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dir = getDirection(language);
  }, [language]);

  async function choose(next: string): Promise<void> {
    setWords(await loadWords(next));
    setLanguage(next);
  }

  async function onMoreTime(): Promise<void> {
    await server?.extend();
    await follower?.refresh();
  }

  async function onHandOff(): Promise<string | undefined> {
    return server?.handOff();
  }

  // What the shop chose for this payment, unless the link names a language.
  const locale = status?.locale ?? null;
  useEffect(() => {
    if (locale !== null && !isChosen) void choose(chooseLanguage([locale]));
  }, [locale, isChosen]);

  const isOver = useTimeLeft(status) <= 0;
  const view = chooseView({ server, opening, status, trouble, sent: submission.sent, isOver });
  return (
    <Speech.Provider value={speech}>
      <Layout
        status={status}
        trouble={trouble}
        view={view}
        isOver={isOver}
        onLanguage={(next) => void choose(next)}
      >
        {view === "loading" && <Notice title="loading" busy />}
        {view === "bad-link" && <Notice title="badLinkTitle" text="badLink" />}
        {view === "used-link" && <Notice title="badLinkTitle" text="usedLink" />}
        {view === "ready" && server && status && (
          <Ready
            status={status}
            server={server}
            onMoreTime={onMoreTime}
            onHandOff={onHandOff}
            refused={submission.refused}
            onPaid={submission.submit}
            onSigned={() => void follower?.refresh()}
          />
        )}
        {view === "result" && server && status && (
          <Result
            status={status}
            isOver={isOver}
            server={server}
            onMoreTime={onMoreTime}
            onHandOff={onHandOff}
            onSigned={() => void follower?.refresh()}
            sent={submission.sent}
            onPaid={submission.submit}
          />
        )}
      </Layout>
    </Speech.Provider>
  );
}

/** The last status that was seen stays when the server is away. */
function useStatus(server: Server | undefined) {
  const [status, setStatus] = useState<Status>();
  const [trouble, setTrouble] = useState<Look["kind"]>();
  const [follower, setFollower] = useState<Follower>();

  useEffect(() => {
    if (server === undefined) return;
    const started = follow(server, (look) => {
      setTrouble(look.kind);
      if (look.kind === "seen") setStatus(look.status);
    });
    setFollower(started);
    return started.stop;
  }, [server]);

  useEffect(() => {
    if (status === undefined) return;
    const { theme, primaryColor, displayName } = status.shop;
    if (theme !== null) document.documentElement.dataset.theme = theme;
    document.title = `${shownAmount(status)} · ${displayName}`;
    function color(): void {
      applyColor(primaryColor);
    }

    color();
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", color);
    return () => scheme.removeEventListener("change", color);
  }, [status]);

  return { status, trouble, follower };
}
