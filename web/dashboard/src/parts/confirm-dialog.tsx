import { createContext, type ReactNode, useContext, useState } from "react";
import { Button, Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { ApiError } from "../api/send.ts";
import { Icon } from "./icon.tsx";
import { ErrorNote, ErrorText } from "./states.tsx";

interface FieldFault {
  field: string;
  error: Error;
}

const FaultContext = createContext<FieldFault | undefined>(undefined);

/** What the service said of a field, under it. */
export function FieldError({ name }: { name: string }) {
  const fault = useContext(FaultContext);
  if (fault?.field !== name) return null;
  return (
    <span className="tip bad" role="alert">
      <ErrorText error={fault.error} />
    </span>
  );
}

/** A write that a person confirms. The idempotency key stays the same while the dialog is open. */
export function ConfirmDialog({
  title,
  action,
  children,
  isDanger = false,
  isReady = true,
  fields = {},
  run,
  close,
}: {
  title: string;
  action: string;
  children: ReactNode;
  isDanger?: boolean;
  /** Whether the form may be sent. */
  isReady?: boolean;
  /** The field that an error code is about, where the form has a `FieldError` for it. */
  fields?: Readonly<Record<string, string>>;
  run: (idempotencyKey: string, form: FormData) => Promise<unknown>;
  close: () => void;
}) {
  const [idempotencyKey, setIdempotencyKey] = useState(() => crypto.randomUUID());
  const [error, setError] = useState<Error>();
  const [isRunning, setRunning] = useState(false);
  const field = error instanceof ApiError ? fields[error.code] : undefined;
  const fault = error && field !== undefined ? { field, error } : undefined;
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
              <FaultContext value={fault}>{children}</FaultContext>
              {error && fault === undefined && <ErrorNote error={error} />}
            </div>
            <footer>
              <Button className="button" onPress={close}>
                Close
              </Button>
              <button
                type="submit"
                className={isDanger ? "button danger" : "button primary"}
                disabled={isRunning || !isReady}
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
