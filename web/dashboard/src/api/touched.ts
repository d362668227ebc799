// Which reads of the API an event may have changed.
const CHANGING =
  /^\/v1\/(payments|refunds|settlements|customers|transfers|events|deliveries|webhook-endpoints|summary|balances|needs)\b/;
const IDS = /\b(?:pay|refund|stl|cust|tr)_[0-9A-Za-z]{24}\b/g;

/** Whether any event may change it. */
export function isChanging(path: string): boolean {
  return CHANGING.test(path);
}

function getPrefix(id: string): string {
  return id.slice(0, id.indexOf("_"));
}

/** What belongs to one record is not changed by another record of its kind. */
export function isTouched(path: string, changed: ReadonlySet<string>): boolean {
  if (!isChanging(path)) return false;
  const own = path.match(IDS);
  if (own === null || own.some((id) => changed.has(id))) return true;
  const kinds = new Set(own.map(getPrefix));
  return [...changed].some((id) => !kinds.has(getPrefix(id)));
}
