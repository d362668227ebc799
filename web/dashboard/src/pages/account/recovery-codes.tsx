import { Button, Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Icon } from "../../parts/icon.tsx";
import { useCopy } from "../../parts/id.tsx";
import { ErrorText } from "../../parts/states.tsx";
import { useChangeAccount } from "./queries.ts";

/** The only time that the codes are shown. */
function Codes({ codes, close }: { codes: string[]; close: () => void }) {
  const { isCopied, copy } = useCopy(codes.join("\n"));
  return (
    <ModalOverlay className="scrim" isOpen onOpenChange={close}>
      <Modal className="dialog">
        <Dialog>
          <header>
            <Heading slot="title">Your recovery codes</Heading>
          </header>
          <div className="body form">
            <p>
              Print them, or keep them in a password manager. They are not shown again. Each code
              works once, and older codes no longer work.
            </p>
            <ol className="codes mono">
              {codes.map((code) => (
                <li key={code}>{code}</li>
              ))}
            </ol>
          </div>
          <footer>
            <Button className="button" onPress={copy}>
              <Icon name={isCopied ? "check" : "copy"} />
              {isCopied ? "Copied" : "Copy all"}
            </Button>
            <Button className="button primary" onPress={close}>
              I have kept them
            </Button>
          </footer>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function describeLeft(left: number): string {
  if (left === 0) return "You have none.";
  return left === 1 ? "One code is left." : `${left} codes are left.`;
}

export function RecoveryCodes({ left }: { left: number }) {
  const { mutate, isPending, error, data, reset } = useChangeAccount<{ codes: string[] }>();
  return (
    <section className="section">
      <header>
        <h2>Recovery codes</h2>
        <button
          type="button"
          className="button end"
          disabled={isPending}
          onClick={() => mutate({ method: "POST", path: "recovery-codes" })}
        >
          {left === 0 ? "Make codes" : "Make new codes"}
        </button>
      </header>
      <p className="quiet gap-2">
        {describeLeft(left)} A code lets you add a passkey on a new device when the old one is lost.
      </p>
      {error && (
        <p className="note bad gap-2" role="alert">
          <Icon name="warning" />
          <span>
            <ErrorText error={error} />
          </span>
        </p>
      )}
      {data && <Codes codes={data.codes} close={reset} />}
    </section>
  );
}
