import type { ReactNode } from "react";
import { Button, Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Icon } from "./icon.tsx";
import { useCopy } from "./id.tsx";

/** A secret, the only time that it is shown. */
export function OnceDialog({
  title,
  secret,
  copyLabel,
  doneLabel,
  children,
  close,
}: {
  title: string;
  secret: string;
  copyLabel: string;
  doneLabel: string;
  children: ReactNode;
  close: () => void;
}) {
  const { isCopied, copy } = useCopy(secret);
  return (
    <ModalOverlay className="scrim" isOpen onOpenChange={close}>
      <Modal className="dialog">
        <Dialog>
          <header>
            <Heading slot="title">{title}</Heading>
          </header>
          <div className="body form">{children}</div>
          <footer>
            <Button className="button" onPress={copy}>
              <Icon name={isCopied ? "check" : "copy"} />
              {isCopied ? "Copied" : copyLabel}
            </Button>
            <Button className="button primary" onPress={close}>
              {doneLabel}
            </Button>
          </footer>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
