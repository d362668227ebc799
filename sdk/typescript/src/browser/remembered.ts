// A hash that the wallet has given and the server may not have yet: kept before it is sent, so that a closed tab or a
// lost connection loses no payment.

export interface Sent {
  hash: string;
  payer: string;
}

function getName(id: string): string {
  return `sent:${id}`;
}

export function rememberSent(id: string, sent: Sent): void {
  try {
    localStorage.setItem(getName(id), JSON.stringify(sent));
  } catch {
    // Private windows may refuse to store; the open page still knows the hash.
  }
}

export function recallSent(id: string): Sent | undefined {
  try {
    const { hash, payer } = JSON.parse(localStorage.getItem(getName(id)) ?? "{}") as Partial<Sent>;
    return hash === undefined || payer === undefined ? undefined : { hash, payer };
  } catch {
    return undefined;
  }
}

export function forgetSent(id: string): void {
  try {
    localStorage.removeItem(getName(id));
  } catch {
    // What cannot be stored need not be removed.
  }
}
