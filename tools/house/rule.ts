// What a house rule is: a name that is printed, a look over all files, and small trees that prove it fires.
// A rule nobody has seen fire may be broken without anybody knowing, so the proof is part of the rule.
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
  /** What looks alike and is allowed. */
  good?: readonly Sample[];
}

export const treeOf = (sample: Sample): Tree =>
  Object.entries(sample).map(([path, text]) => ({ path, text, lines: text.split("\n") }));

export const isCode = (path: string): boolean => /\.(ts|tsx|mjs|js)$/.test(path);

/** Tests and what stands beside them in their folders. */
export const isTest = (path: string): boolean =>
  /\.test\.tsx?$|(^|\/)test\/|^e2e\//.test(path) && isCode(path);

/** Code that ships: neither tests, nor what they stand on, nor the house's own machinery. */
export const isProduct = (path: string): boolean =>
  isCode(path) &&
  !isTest(path) &&
  /^(libs\/(?!testing\/)|services\/|standalone\/|web\/|sdk\/)/.test(path);

/** `services/payments` for anything below it; a file outside every package belongs to the root. */
export const packageOf = (path: string): string =>
  /^(?:libs|services|web)\/[^/]+|^(?:proto|sdk|standalone|e2e|bench)(?=\/)/.exec(path)?.[0] ?? "";

/** The rule that no line of certain files may match a pattern. */
export const lineRule = (rule: {
  name: string;
  files: (path: string) => boolean;
  pattern: RegExp;
  bad: readonly Sample[];
  good?: readonly Sample[];
}): Rule => ({
  ...rule,
  find: (tree) =>
    tree
      // The rules themselves quote what they forbid.
      .filter(({ path }) => !path.startsWith("tools/house/") && rule.files(path))
      .flatMap(({ path, lines }) =>
        lines.flatMap((line, at) => (rule.pattern.test(line) ? [{ path, line: at + 1 }] : [])),
      ),
});

/** The line an offset of the text lies in. */
export const lineAt = (text: string, offset: number): number =>
  text.slice(0, offset).split("\n").length;
