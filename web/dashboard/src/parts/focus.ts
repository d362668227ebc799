/** The field in which a dialog begins, as its ref. What stands there is replaced by what is typed. */
export function focusField(input: HTMLInputElement | null): void {
  input?.focus();
  input?.select();
}
