import { type ReactNode, useState } from "react";
import { Button, Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Icon } from "./icon.tsx";
import { ErrorNote } from "./states.tsx";

/** A write that a person confirms. The idempotency key stays the same while the dialog is open. */
export function ConfirmDialog({
  title,
  action,
  children,
  isDanger = false,
  run,
  close,
}: {
  title: string;
  action: string;
  children: ReactNode;
  isDanger?: boolean;
  run: (idempotencyKey: string, form: FormData) => Promise<unknown>;
  close: () => void;
}) {
  const [idempotencyKey, setIdempotencyKey] = useState(() => crypto.randomUUID());
  const [error, setError] = useState<Error>();
  const [isRunning, setRunning] = useState(false);
  async function submit(form: FormData) {
    setRunning(true);
    setError(undefined);
    try {
      await run(idempotencyKey, form);
      close();
    } catch (caught) {
      setError(caught as Error);
    } finally {
      setRunning(false);
    }
  }

  return (
    <ModalOverlay className="scrim" isOpen isDismissable onOpenChange={close}>
      <Modal className="dialog">
        <Dialog>
          <form
            // A changed form is another request.
            onChange={() => setIdempotencyKey(crypto.randomUUID())}
            onSubmit={(event) => {
              event.preventDefault();
              void submit(new FormData(event.currentTarget));
            }}
          >
            <header>
              <Heading slot="title">{title}</Heading>
              <Button className="copy" aria-label="Close" onPress={close}>
                <Icon name="cross" />
              </Button>
            </header>
            <div className="body form">
              {children}
              {error && <ErrorNote error={error} />}
            </div>
            <footer>
              <Button className="button" onPress={close}>
                Close
              </Button>
              <button
                type="submit"
                className={isDanger ? "button danger" : "button primary"}
                disabled={isRunning}
              >
                {action}
              </button>
            </footer>
          </form>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
