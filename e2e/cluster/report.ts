import type { PhaseReport } from "./load.ts";

export interface Report {
  /** A line of its own: what was tried and what was seen. */
  note(what: string, seen: string): void;
  load(report: PhaseReport): void;
  print(): void;
}

/** The results of a run, printed as a table at its end. */
export function createReport(): Report {
  const notes: [string, string][] = [];
  const phases: PhaseReport[] = [];
  return {
    note: (what, seen) => void notes.push([what, seen]),
    load: (report) => void phases.push(report),
    print: () => {
      const lines = [
        ...toTable(["tried", "seen"], notes),
        "",
        ...toTable(
          ["under load", "requests", "faults at first", "healed by one retry", "failed", "slowest"],
          phases.map(toRow),
        ),
      ];
      process.stdout.write(`\n${lines.join("\n")}\n`);
    },
  };
}

function toRow({ name, requests, faults, healed, failed, slowestMs }: PhaseReport): string[] {
  return [
    name,
    `${requests}`,
    [...faults].map(([kind, count]) => `${count} x ${kind}`).join(", ") || "none",
    `${healed}`,
    `${failed.length}`,
    `${Math.round(slowestMs)} ms`,
  ];
}

function toTable(head: string[], rows: string[][]): string[] {
  const widths = head.map((_, at) =>
    Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)),
  );
  function line(row: string[]) {
    return row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ");
  }

  return [line(head), widths.map((width) => "-".repeat(width)).join("  "), ...rows.map(line)];
}
