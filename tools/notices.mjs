// What a bundle contains of others: the packages, and the texts of their licences, which have to go with their code.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";

const NOTICE = /^(?:licen[cs]e|copying|notice)/i;
const PACKAGE = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** The folder of the package that a file belongs to; undefined for files of this repository. */
function findPackage(file) {
  return PACKAGE.exec(file.split(sep).join("/"))?.[1];
}

function describe(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && NOTICE.test(entry.name))
    .map((entry) => readFileSync(join(folder, entry.name), "utf8").trim());
  if (texts.length === 0 && license === undefined) {
    throw new Error(`${name}@${version} says nothing of its licence`);
  }
  // Some packages name their licence and do not repeat its text.
  return { id: `${name}@${version}`, text: texts.join("\n\n") || `Licence: ${license}` };
}

/** From the inputs of esbuild's metafile, which are relative to the folder of the build. */
export function listBundled({ inputs }, folder) {
  const files = Object.keys(inputs).map((input) => resolve(folder, input));
  const packages = new Set(files.map(findPackage).filter((found) => found !== undefined));
  const described = [...packages].map(describe);
  return described.sort((one, two) => (one.id < two.id ? -1 : 1));
}

export function formatNotices(bundled) {
  return bundled.map(({ id, text }) => `${id}\n\n${text}\n`).join(`\n${"-".repeat(80)}\n\n`);
}
