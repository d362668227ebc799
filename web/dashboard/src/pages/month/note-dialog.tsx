import { useWrite } from "../../api/queries.ts";
import type { Book } from "../../api/records.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";

/** Closes a difference. */
export function NoteDialog({ book, close }: { book: Book; close: () => void }) {
  const { mutateAsync } = useWrite();
  return (
    <ConfirmDialog
      title="Why do they differ?"
      action="Close difference"
      close={close}
      run={(idempotencyKey, form) => {
        const note = String(form.get("note")).trim();
        const body = { note, take: true, done: true };
        return mutateAsync({ path: `/v1/needs/${book.id}`, body, idempotencyKey });
      }}
    >
      <p>The figures stay. Your note says to everyone why this is in order.</p>
      <label>
        Note
        <input
          className="field"
          name="note"
          required
          maxLength={500}
          defaultValue={book.note ?? ""}
          autoComplete="off"
        />
      </label>
    </ConfirmDialog>
  );
}
