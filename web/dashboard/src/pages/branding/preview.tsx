// The checkout beside the form: the page itself in a frame, which gets the unsaved design.
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { COLOR, type Design } from "./design.ts";

const STATES = { ready: "Ready", part: "Part paid", paid: "Paid", expired: "Expired" } as const;
const WIDTHS = { phone: "Phone", screen: "Desktop" } as const;
const THEMES = { sun: "Light", moon: "Dark" } as const;

/** A desktop is drawn as wide as this, and then made smaller. */
const SCREEN_PX = 1024;

function Switch<Name extends string>({
  label,
  of,
  value,
  choose,
  render,
}: {
  label: string;
  of: Readonly<Record<Name, string>>;
  value: Name;
  choose: (name: Name) => void;
  render?: (name: Name) => ReactNode;
}) {
  return (
    <fieldset className="mode" aria-label={label}>
      {(Object.keys(of) as Name[]).map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === value}
          aria-label={of[name]}
          title={render && of[name]}
          onClick={() => choose(name)}
        >
          {render ? render(name) : of[name]}
        </button>
      ))}
    </fieldset>
  );
}

const renderIcon = (name: IconName) => <Icon name={name} isSmall />;

/** What the checkout would show of the shop; null where it shows nothing. */
function toShop(design: Design, { name, logoUrl }: { name: string; logoUrl: string | null }) {
  const { displayName, primaryColor, supportUrl } = design;
  return {
    displayName: displayName.trim() || name,
    primaryColor: COLOR.test(primaryColor) ? primaryColor : null,
    supportUrl: supportUrl.startsWith("https://") ? supportUrl : null,
    logoUrl: logoUrl && new URL(logoUrl, location.href).pathname,
  };
}

/** Sends a design to the page in the frame, once it is there and whenever it changes. */
function useFrame(message: object) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    function take({ source, origin }: MessageEvent) {
      if (source === frame.current?.contentWindow && origin === location.origin) setReady(true);
    }

    window.addEventListener("message", take);
    return () => window.removeEventListener("message", take);
  }, []);
  const text = JSON.stringify(message);
  useEffect(() => {
    if (isReady) frame.current?.contentWindow?.postMessage(JSON.parse(text), location.origin);
  }, [isReady, text]);
  return frame;
}

export function Preview({
  design,
  project,
}: {
  design: Design;
  project: { name: string; logoUrl: string | null };
}) {
  const [state, setState] = useState<keyof typeof STATES>("ready");
  const [width, setWidth] = useState<keyof typeof WIDTHS>("phone");
  const [device, setDevice] = useState<keyof typeof THEMES>("sun");
  const theme = design.theme || (device === "sun" ? "light" : "dark");
  const frame = useFrame({ state, shop: { ...toShop(design, project), theme } });
  const stage = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = stage;
    if (current === null) return;
    const observer = new ResizeObserver(() => {
      const scale = Math.min(1, current.clientWidth / SCREEN_PX);
      current.style.setProperty("--scale", String(scale));
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return (
    <section className="preview" aria-label="Preview">
      <header>
        <Switch label="State of the payment" of={STATES} value={state} choose={setState} />
        <span className="end">
          <Switch label="Width" of={WIDTHS} value={width} choose={setWidth} render={renderIcon} />
          {design.theme === "" && (
            <Switch
              label="Theme of the device"
              of={THEMES}
              value={device}
              choose={setDevice}
              render={renderIcon}
            />
          )}
        </span>
      </header>
      <div className={`stage ${width}`} ref={stage}>
        <iframe ref={frame} src="/pay/preview" title={`Checkout: ${STATES[state]}`} />
      </div>
    </section>
  );
}
