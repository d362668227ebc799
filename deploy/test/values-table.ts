// The chart's README: each value with its default and the comment above it in values.yaml.
import { createRequire } from "node:module";

const yaml = createRequire(import.meta.url)("js-yaml") as { safeLoad(text: string): unknown };
const KEY = /^( *)([\w.-]+):/;
const COMMENT = /^ *# ?(.*)$/;
const HEAD = `# The chart

Generated from values.yaml; [how to install, upgrade and look after it](../../docs/operations.md), [what to change when you
upgrade](UPGRADING.md). \`examples/\` has values for one purpose each, to be given beside \`minimal.yaml\`.

\`services.<name>\` takes everything that \`defaults\` has.
`;

interface Entry {
  path: string[];
  comment: string;
}

function listEntries(text: string): Entry[] {
  const entries: Entry[] = [];
  let place: { indent: number; name: string }[] = [];
  let comment: string[] = [];
  for (const line of text.split("\n")) {
    const [, said] = COMMENT.exec(line) ?? [];
    const [, indent = "", name] = KEY.exec(line) ?? [];
    if (said !== undefined) comment.push(said.trim());
    else if (name !== undefined) {
      place = place.filter((one) => one.indent < indent.length);
      place.push({ indent: indent.length, name });
      entries.push({ path: place.map((one) => one.name), comment: comment.join(" ") });
      comment = [];
    } else comment = [];
  }
  return entries;
}

function readValue(values: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => (value as Record<string, unknown>)[name], values);
}

function isSection(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.keys(value).length > 0 &&
    !Array.isArray(value)
  );
}

function toCell(text: string): string {
  return text.replaceAll("|", "\\|");
}

export function writeValuesTable(text: string): string {
  const values = yaml.safeLoad(text);
  const entries = listEntries(text);
  const rows = entries.flatMap(({ path, comment }) => {
    const value = readValue(values, path);
    const given = isSection(value) ? "" : `\`${toCell(JSON.stringify(value))}\``;
    if (given === "" && comment === "") return [];
    return `| \`${path.join(".")}\` | ${given} | ${toCell(comment)} |`;
  });
  return [HEAD, "| value | default | meaning |", "| --- | --- | --- |", ...rows, ""].join("\n");
}
