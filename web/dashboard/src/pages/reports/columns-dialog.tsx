import { useNavigate } from "@tanstack/react-router";
import { Options } from "../../parts/choice.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import {
  COLUMNS,
  type FileChoice,
  FORMATS,
  formatColumns,
  listColumns,
  listKeys,
  parseChoice,
} from "./columns.ts";

/** Chooses what a file holds. */
export function ColumnsDialog({ choice, close }: { choice: FileChoice; close: () => void }) {
  const navigate = useNavigate();
  const chosen = listColumns(choice);
  return (
    <ConfirmDialog
      title="What the file holds"
      action="Use these columns"
      close={close}
      run={async (_, form) => {
        const names = COLUMNS.map(([name]) => name).filter((name) => form.get(name) !== null);
        const keys = String(form.get("keys"))
          .split(",")
          .map((key) => key.trim());
        const columns = formatColumns(
          names,
          keys.filter((key) => key !== ""),
        );
        const next = parseChoice({ columns, format: form.get("format") });
        await navigate({
          to: ".",
          search: (before: object) => ({
            ...before,
            columns: undefined,
            format: undefined,
            ...next,
          }),
        });
      }}
    >
      <label>
        Format
        <select className="field" name="format" defaultValue={choice.format ?? "csv"}>
          <Options of={FORMATS} />
        </select>
      </label>
      <fieldset className="scopes">
        <legend>One column for each</legend>
        {COLUMNS.map(([name, label]) => (
          <label key={name} className="choice">
            <input type="checkbox" name={name} defaultChecked={chosen.includes(name)} />
            {label}
          </label>
        ))}
      </fieldset>
      <label>
        Metadata
        <input
          className="field"
          name="keys"
          defaultValue={listKeys(choice).join(", ")}
          autoComplete="off"
        />
        <span className="tip">Keys of the payment’s metadata, separated by commas</span>
      </label>
    </ConfirmDialog>
  );
}
