// The file of a period: its columns, and its download.
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { download } from "../../api/download.ts";
import { useWorkspace } from "../../api/session.ts";
import { Options } from "../../parts/choice.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ErrorNote } from "../../parts/states.tsx";
import {
  buildFile,
  COLUMNS,
  type FileChoice,
  FORMATS,
  formatColumns,
  listColumns,
  listKeys,
  parseChoice,
} from "./columns.ts";

function ColumnsDialog({ choice, close }: { choice: FileChoice; close: () => void }) {
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

/** The buttons of a page with a file. */
export function FileButtons({
  choice,
  period,
  name,
}: {
  choice: FileChoice;
  period: { from: string; to: string };
  name: string;
}) {
  const workspace = useWorkspace();
  const [isChoosing, setChoosing] = useState(false);
  const { path, accept, extension } = buildFile(choice, period);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => download(workspace, { path, accept, name: `${name}.${extension}` }),
  });
  return (
    <>
      <button type="button" className="button" onClick={() => setChoosing(true)}>
        <Icon name="columns" />
        Columns
      </button>
      <button
        type="button"
        className="button primary"
        disabled={isPending}
        onClick={() => mutate()}
      >
        <Icon name="download" />
        {isPending ? "Downloading" : `Download ${extension === "csv" ? "CSV" : "JSON lines"}`}
      </button>
      {error && <ErrorNote error={error} />}
      {isChoosing && <ColumnsDialog choice={choice} close={() => setChoosing(false)} />}
    </>
  );
}
