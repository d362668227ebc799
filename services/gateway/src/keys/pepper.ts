// The secret under which keys, sessions and subjects are digested and kept answers are sealed. It has versions, so that
// it can be changed: the first one makes new digests, all of them find existing ones.

export interface Pepper {
  version: number;
  secret: string;
}

/** The current one first. */
export type Peppers = readonly [Pepper, ...Pepper[]];

const LENGTH_MIN = 32;
const VERSIONS_MAX = 5;
const ENTRY = /^([1-9][0-9]{0,3}):(.{32,})$/;
/** A list with a mistake in it must not be taken for one long secret. */
const LIST_LIKE = /(?:^|,)\s*\d+\s*:/;

/** Reads `2:newer pepper,1:pepper`; a text without versions is version 1. Undefined when it has neither form. */
export function parsePeppers(text: string): Peppers | undefined {
  if (!LIST_LIKE.test(text)) {
    return text.length < LENGTH_MIN ? undefined : [{ version: 1, secret: text }];
  }
  const peppers: Pepper[] = [];
  for (const part of text.split(",")) {
    const [, version, secret] = ENTRY.exec(part.trim()) ?? [];
    if (version === undefined || secret === undefined) return undefined;
    peppers.push({ version: Number(version), secret });
  }
  const versions = new Set(peppers.map(({ version }) => version));
  if (versions.size < peppers.length || peppers.length > VERSIONS_MAX) return undefined;
  const [current, ...older] = peppers as [Pepper, ...Pepper[]];
  return [current, ...older];
}
