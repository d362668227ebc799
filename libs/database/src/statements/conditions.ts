/** Part of a where clause. */
export interface Condition {
  /** SQL with a ? for each value, in order. */
  text: string;
  values: unknown[];
}

/** A condition on one value; none where the value is undefined. */
export function condition(text: string, value: unknown): Condition[] {
  return value === undefined ? [] : [{ text, values: [value] }];
}

/** Holds where one of the conditions holds; never without a condition. */
export function anyCondition(conditions: readonly Condition[]): Condition {
  const text = ["false", ...conditions.map((part) => part.text)].join(" or ");
  return { text: `(${text})`, values: conditions.flatMap(({ values }) => values) };
}

/** Conditions that all hold, as SQL; their values are added to the statement's. */
export function joinConditions(conditions: readonly Condition[], values: unknown[]): string {
  const texts = conditions.map((part) => {
    const own = part.values.values();
    return part.text.replaceAll("?", () => `$${values.push(own.next().value)}`);
  });
  return texts.length === 0 ? "true" : texts.join(" and ");
}
