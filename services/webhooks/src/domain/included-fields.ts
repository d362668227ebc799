// Fields that the bodies of payment events have besides those of the specification, where an endpoint includes them.
// They are stored as a JSON object of their own, and copied as text, because JavaScript numbers would round metadata.

/** In the order in which they are stored; metadata is the last, because it may contain anything. */
export const INCLUDED_FIELDS = [
  "receivedAmount",
  "refundedAmount",
  "failureCode",
  "metadata",
] as const;

const STORED =
  /^\{"receivedAmount":([^,]*),"refundedAmount":([^,]*),"failureCode":([^,]*),"metadata":(.*)\}$/s;

/** The body that an endpoint gets. An event that is older than the choice of its project has no such fields. */
export function buildBody(
  body: Buffer,
  included: Buffer | null | undefined,
  include: readonly string[] | null,
): Buffer {
  if (!included || !include?.length) return body;
  const values = STORED.exec(included.toString())?.slice(1) ?? [];
  const fields = INCLUDED_FIELDS.flatMap((name, index) =>
    include.includes(name) ? [`,"${name}":${values[index]}`] : [],
  );
  const tail = Buffer.from(`${fields.join("")}}`);
  const whole = Buffer.allocUnsafeSlow(body.length - 1 + tail.length);
  body.copy(whole, 0, 0, body.length - 1);
  tail.copy(whole, body.length - 1);
  return whole;
}
