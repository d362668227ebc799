// A transaction hash that the server may not have yet. It is stored before it is submitted, so that a closed tab or a
// lost connection loses no payment.

export interface PendingHash {
  hash: string;
  payer: string;
}

function toStorageKey(id: string): string {
  return `sent:${id}`;
}

export function storePendingHash(id: string, sent: PendingHash): void {
  try {
    localStorage.setItem(toStorageKey(id), JSON.stringify(sent));
  } catch {
    // Private windows may reject storage; the open page still has the hash.
  }
}

export function readPendingHash(id: string): PendingHash | undefined {
  try {
    const { hash, payer } = JSON.parse(
      localStorage.getItem(toStorageKey(id)) ?? "{}",
    ) as Partial<PendingHash>;
    return hash === undefined || payer === undefined ? undefined : { hash, payer };
  } catch {
    return undefined;
  }
}

export function removePendingHash(id: string): void {
  try {
    localStorage.removeItem(toStorageKey(id));
  } catch {
    // Without storage there is nothing to remove.
  }
}
