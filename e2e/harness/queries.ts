// Queries of alerts and dashboards beside what running processes expose.

const SELECTOR = /\b([a-z]+(?:_[a-z0-9]+)*(?::\w+)*)\{((?:[^}"]|"[^"]*")*)\}/g;
const MATCHER = /(\w+)(=~|!~|!=|=)"((?:[^"\\]|\\.)*)"/g;
const GROUPING = /\bby \(([^)]*)\)/g;
const SAMPLE = /^(\w+)(?:\{(.*)\})? \S+$/gm;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;
/** Prometheus adds them to each series. */
const OF_PROMETHEUS = ["namespace", "pod"];

type Labels = Record<string, string>;

export interface Exposed {
  /** Names of metrics, also of those without a sample so far. */
  metrics: Set<string>;
  samples: Map<string, Labels[]>;
}

export function parseExposed(text: string): Exposed {
  const samples = new Map<string, Labels[]>();
  for (const [, name = "", labels = ""] of text.matchAll(SAMPLE)) {
    const own = Object.fromEntries(
      [...labels.matchAll(LABEL)].map(([, key = "", value = ""]) => [key, value]),
    );
    samples.set(name, [...(samples.get(name) ?? []), own]);
  }
  const types = text.matchAll(/^# TYPE (\w+) /gm);
  return { metrics: new Set([...types].map(([, name = ""]) => name)), samples };
}

/** What keeps the query from finding a series; metrics without a sample are only known by name. */
export function findFaults(query: string, { metrics, samples }: Exposed): string[] {
  const selectors = [...query.matchAll(SELECTOR)];
  const faults = selectors.flatMap(([, name = "", matchers = ""]) => {
    if (!metrics.has(name.replace(/_(bucket|count|sum)$/, ""))) return [`there is no ${name}`];
    const known = samples.get(name);
    const isFound = known === undefined || known.some((labels) => matches(labels, matchers));
    return isFound ? [] : [`no ${name} has {${matchers}}`];
  });
  const sampled = selectors.flatMap(([, name = ""]) => samples.get(name) ?? []);
  const groupings = [...query.matchAll(GROUPING)].flatMap(([, labels = ""]) => labels.split(", "));
  const missing = groupings.filter(
    (label) => !OF_PROMETHEUS.includes(label) && !sampled.some((labels) => label in labels),
  );
  if (sampled.length > 0) faults.push(...missing.map((label) => `nothing has the label ${label}`));
  return [...new Set(faults)];
}

function matches(labels: Labels, matchers: string): boolean {
  return [...matchers.matchAll(MATCHER)].every(([, name = "", operator, text = ""]) => {
    if (OF_PROMETHEUS.includes(name)) return true;
    const value = labels[name];
    if (value === undefined) return false;
    const pattern = text.replaceAll("\\\\", "\\");
    const isEqual = operator?.includes("~")
      ? new RegExp(`^(?:${pattern})$`).test(value)
      : value === text;
    return isEqual !== operator?.startsWith("!");
  });
}
