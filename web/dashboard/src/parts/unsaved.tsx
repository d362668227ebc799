import { useBlocker } from "@tanstack/react-router";
import { ConfirmDialog } from "./confirm-dialog.tsx";

const always = () => true;

/** Asks before a changed form is left. */
export function Unsaved({ isChanged }: { isChanged: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: always,
    disabled: !isChanged,
    enableBeforeUnload: isChanged,
    withResolver: true,
  });
  if (status !== "blocked") return null;
  return (
    <ConfirmDialog
      title="Leave without saving?"
      action="Leave"
      isDanger
      close={reset}
      run={async () => proceed()}
    >
      <p>What you changed on this page is not saved.</p>
    </ConfirmDialog>
  );
}
