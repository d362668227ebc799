// Prometheus's own tool, for tests of alerts: what an expression answers for series of numbers.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const TIMEOUT_MS = 120_000;
/** One value a minute. */
const INTERVAL = "1m";
const HOUR = 60;

export interface Asked {
  /** Which question this is, for the report of a failure. */
  name: string;
  /** Series with their values in promtool's short form, `_x20 1x10`. */
  series: Record<string, string>;
  expr: string;
  /** Minutes after the first value. */
  at: number;
  /** Whether it answers anything then. */
  answers: boolean;
}

export interface AlertCase {
  /** Minutes after the first value. */
  firesWithin: number;
  /** The fault from the first value on. */
  fault: Record<string, string>;
  /** An hour in which it never fires. */
  silence: Record<string, string>;
}

export function missingPromtool(): string | undefined {
  return spawnSync("promtool", ["--version"]).status === 0
    ? undefined
    : "promtool (Debian's package prometheus)";
}

/** Throws with what promtool says where it does not take the rules. */
export function checkRules(groups: unknown): string {
  return withFile("rules.json", { groups }, (path) => promtool("check", "rules", path));
}

/** Throws with what promtool says where an answer is another one. */
export function askPrometheus(questions: readonly Asked[]): string {
  const tests = questions.map(({ name, series, expr, at, answers }) => ({
    name,
    interval: INTERVAL,
    input_series: toInput(series),
    promql_expr_test: [
      {
        expr: `group(${expr})`,
        eval_time: `${at}m`,
        exp_samples: answers ? [{ labels: "{}", value: 1 }] : [],
      },
    ],
  }));
  return withFile("tests.json", { evaluation_interval: INTERVAL, tests }, (path) =>
    promtool("test", "rules", path),
  );
}

/**
 * The rules as they are, with the time that each waits: all faults at once, then an hour of all silences. Cases by name
 * and severity, "PayDiskFull critical". Throws with what promtool says where an alert is silent or fires wrongly.
 */
export function testRules(groups: unknown, cases: Readonly<Record<string, AlertCase>>): string {
  const all = Object.entries(cases);
  const ask = (name: string, at: number, value: number) => {
    const [alert, severity] = name.split(" ");
    const firing = `ALERTS{alertname="${alert}", severity="${severity}", alertstate="firing"}`;
    return {
      expr: `group(last_over_time(${firing}[${at + 1}m])) or vector(0)`,
      eval_time: `${at}m`,
      exp_samples: [{ labels: "{}", value }],
    };
  };
  const tests = [
    {
      interval: INTERVAL,
      input_series: toInput(Object.assign({}, ...all.map(([, { fault }]) => fault))),
      promql_expr_test: all.map(([name, { firesWithin }]) => ask(name, firesWithin, 1)),
    },
    {
      interval: INTERVAL,
      input_series: toInput(Object.assign({}, ...all.map(([, { silence }]) => silence))),
      promql_expr_test: all.map(([name]) => ask(name, HOUR, 0)),
    },
  ];
  return withFile("rules.json", { groups }, (rules) => {
    const file = { rule_files: [rules], evaluation_interval: INTERVAL, tests };
    return withFile("tests.json", file, (path) => promtool("test", "rules", path));
  });
}

function toInput(series: Record<string, string>): { series: string; values: string }[] {
  return Object.entries(series).map(([one, values]) => ({ series: one, values }));
}

function promtool(...args: string[]): string {
  try {
    return execFileSync("promtool", args, { encoding: "utf8", timeout: TIMEOUT_MS, stdio: "pipe" });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${stdout ?? ""}${stderr ?? ""}` || String(error));
  }
}

/** JSON is YAML, too. */
function withFile<T>(name: string, content: object, act: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "pay-promtool-"));
  try {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(content));
    return act(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
