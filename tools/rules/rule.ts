// A rule has a name that is printed, a function that checks all files, and small trees that prove it fires. A rule
// without that proof may be broken and go unnoticed.
export interface SourceFile {
  path: string;
  text: string;
  lines: readonly string[];
}

export type Tree = readonly SourceFile[];

export interface Place {
  path: string;
  line: number;
}

/** A small tree, file texts by path. */
export type Sample = Record<string, string>;

export interface Rule {
  name: string;
  find(tree: Tree): Place[];
  /** Each sample must break the rule exactly once, in the file named first. */
  bad: readonly Sample[];
  /** Similar code that is allowed. */
  good?: readonly Sample[];
}

export function buildTree(sample: Sample): Tree {
  return Object.entries(sample).map(([path, text]) => ({ path, text, lines: text.split("\n") }));
}

export function isCode(path: string): boolean {
  return /\.(ts|tsx|mjs|js)$/.test(path);
}

/** Tests and their helpers. */
export function isTest(path: string): boolean {
  return /\.test\.tsx?$|(^|\/)test\/|^e2e\//.test(path) && isCode(path);
}

/** Code that ships: neither tests, nor their helpers, nor the tools of the repository. */
export function isProduct(path: string): boolean {
  return (
    isCode(path) &&
    !isTest(path) &&
    /^(libs\/(?!testing\/)|services\/|standalone\/|web\/|sdk\/)/.test(path)
  );
}

/** `services/payments` for anything below it; a file outside every package belongs to the root. */
export function getPackage(path: string): string {
  return (
    /^(?:libs|services|web)\/[^/]+|^(?:proto|sdk|standalone|e2e|bench)(?=\/)/.exec(path)?.[0] ?? ""
  );
}

/** The rule that no line of certain files may match a pattern. */
export function lineRule(
  rule: Omit<Rule, "find"> & { files: (path: string) => boolean; pattern: RegExp },
): Rule {
  return {
    ...rule,
    find: (tree) =>
      tree
        // The rules themselves contain what they forbid.
        .filter(({ path }) => !path.startsWith("tools/rules/") && rule.files(path))
        .flatMap(({ path, lines }) =>
          lines.flatMap((line, at) => (rule.pattern.test(line) ? [{ path, line: at + 1 }] : [])),
        ),
  };
}

/** The line an offset of the text lies in. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
