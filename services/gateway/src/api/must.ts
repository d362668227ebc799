/** The text after a field's name when its value breaks the rule; a missing field has a text of its own. */
export function must(rule: string) {
  return {
    error: (issue: { input?: unknown }) =>
      issue.input === undefined ? "is required" : `must ${rule}`,
  };
}
