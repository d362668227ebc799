// The file of a period: its columns, and its download.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { download } from "../../api/download.ts";
import { useWorkspace } from "../../api/session.ts";
import { Icon } from "../../parts/icon.tsx";
import { later } from "../../parts/later.tsx";
import { ErrorNote } from "../../parts/states.tsx";
import { buildFile, type FileChoice } from "./columns.ts";

const ColumnsDialog = later(async () => (await import("./columns-dialog.tsx")).ColumnsDialog);

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
        data-export
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
