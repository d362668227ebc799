// What a browser names itself by, in words: enough to know which of one's own devices is meant.

const BROWSERS: readonly [RegExp, string][] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrom(?:e|ium)\/|CriOS\//, "Chrome"],
  [/Safari\//, "Safari"],
];

const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];

function findName(names: typeof BROWSERS, agent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(agent))?.[1];
}

export function describeAgent(agent: string | null): string {
  const browser = findName(BROWSERS, agent ?? "");
  const system = findName(SYSTEMS, agent ?? "");
  if (browser === undefined) return system ?? "An unknown browser";
  return system === undefined ? browser : `${browser} on ${system}`;
}
