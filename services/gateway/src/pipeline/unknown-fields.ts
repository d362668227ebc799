// Fields and parameters that a request has and its route does not know. They are ignored, so that older clients go on
// to work, but a misspelt name must not go unnoticed: a payment would get another lifetime than the merchant wrote.

const NAMED_MAX = 5;
/** A longer name may be a key or secret in the wrong place, and is not repeated. */
const SHOWN = /^[\w.-]{1,32}$/;
/** So many typing errors apart, a name is taken for another one. */
const DISTANCE_MAX = 2;

type Kind = "field" | "parameter";

/** The header that names them, or undefined where there are none. */
export function describeUnknown(
  kind: Kind,
  names: readonly string[],
  known: readonly string[],
): string | undefined {
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return undefined;
  const named = unknown.slice(0, NAMED_MAX).map((name) => describe(kind, name, known));
  const more = unknown.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

function describe(kind: Kind, name: string, known: readonly string[]): string {
  if (!SHOWN.test(name)) return `unknown ${kind}`;
  const meant = known
    .map((candidate) => ({ candidate, distance: computeDistance(plain(name), plain(candidate)) }))
    .filter(({ distance }) => distance <= DISTANCE_MAX)
    .sort((one, other) => one.distance - other.distance)[0];
  return meant === undefined
    ? `unknown ${kind} ${name}`
    : `unknown ${kind} ${name}; did you mean ${meant.candidate}`;
}

/** Names that differ only in how their words are joined are alike. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** How many characters have to be added, left out or changed to make one name of the other. */
function computeDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const changed = (row[j - 1] as number) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[other.length] as number;
}
