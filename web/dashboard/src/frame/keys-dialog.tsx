// All keys, also while they are off.
import { Button, Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { readChoice } from "../appearance.ts";
import { Icon } from "../parts/icon.tsx";
import { LETTERED } from "./places.ts";

const OTHERS = [
  ["J", "Next row"],
  ["K", "Row before"],
  ["C", "New payment link"],
  ["E", "Export, where a page has one"],
  ["/", "Search"],
  ["?", "These keys"],
] as const;

function Row({ keys, name }: { keys: readonly string[]; name: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {keys.map((key) => (
          <kbd key={key} className="kbd">
            {key}
          </kbd>
        ))}
      </dd>
    </div>
  );
}

export function KeysDialog({ close }: { close: () => void }) {
  return (
    <ModalOverlay className="scrim" isOpen isDismissable onOpenChange={close}>
      <Modal className="dialog">
        <Dialog>
          <header>
            <Heading slot="title">Keyboard</Heading>
            <Button className="copy" aria-label="Close" onPress={close}>
              <Icon name="cross" />
            </Button>
          </header>
          <div className="body">
            {readChoice("keys") === "off" && (
              <p className="note">They are off. Your account page turns them on.</p>
            )}
            <dl className="key-list">
              <Row keys={["Ctrl K"]} name="Search" />
              {OTHERS.map(([key, name]) => (
                <Row key={key} keys={[key]} name={name} />
              ))}
              {LETTERED.map(({ letter, name }) => (
                <Row key={name} keys={["G", letter?.toUpperCase() ?? ""]} name={name} />
              ))}
            </dl>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
