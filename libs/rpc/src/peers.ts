// Which replicas of a service answer. A replica that is frozen, or that the network has lost, keeps its connection
// until keepalive ends it. Until then every call to it is lost, so a replica that leaves calls unanswered gets no
// further calls while another replica answers.
//
// A replica is silent when calls wait for it and it has answered none of them for a while. After a call has ended
// without an answer, a replica gets one call at a time until it answers one. Where every replica is silent, all get
// calls.

/** How long a replica may leave its calls unanswered before others get the calls instead. */
const SILENT_AFTER_MS = 200;

interface Peer {
  waiting: number;
  /** Since when the calls wait without any answer. */
  quietSinceMs: number;
  /** A call has ended without an answer since the last answer. */
  owesAnswer: boolean;
}

export interface Peers {
  isSilent(address: string): boolean;
  began(address: string): void;
  ended(address: string, isAnswered: boolean): void;
  /** Forgets all replicas but these. */
  keep(addresses: ReadonlySet<string>): void;
}

export function createPeers(nowMs: () => number = () => performance.now()): Peers {
  const peers = new Map<string, Peer>();

  function createPeer(address: string): Peer {
    const known = peers.get(address);
    if (known !== undefined) return known;
    const added = { waiting: 0, quietSinceMs: 0, owesAnswer: false };
    peers.set(address, added);
    return added;
  }

  return {
    isSilent: (address) => {
      const peer = peers.get(address);
      if (peer === undefined || peer.waiting === 0) return false;
      return peer.owesAnswer || nowMs() - peer.quietSinceMs > SILENT_AFTER_MS;
    },
    began: (address) => {
      const peer = createPeer(address);
      if (peer.waiting === 0) peer.quietSinceMs = nowMs();
      peer.waiting++;
    },
    ended: (address, isAnswered) => {
      const peer = peers.get(address);
      if (peer === undefined) return;
      peer.waiting = Math.max(0, peer.waiting - 1);
      peer.owesAnswer = !isAnswered;
      if (isAnswered) peer.quietSinceMs = nowMs();
    },
    keep: (addresses) => {
      for (const address of peers.keys()) if (!addresses.has(address)) peers.delete(address);
    },
  };
}
