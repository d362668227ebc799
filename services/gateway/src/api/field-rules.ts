/** The text after a field's name when its value breaks the rule; a missing field has a text of its own. */
export function buildRule(rule: string) {
  return {
    error: (issue: { input?: unknown }) =>
      issue.input === undefined ? "is required" : `must ${rule}`,
  };
}

/** Whole characters, not UTF-16 units. */
export function countCharacters(text: string): number {
  let length = text.length;
  // A character outside the basic plane takes two units, the second of which is a low surrogate.
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xdc00 && unit <= 0xdfff) length--;
  }
  return length;
}
