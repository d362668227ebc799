// Every suite that runs the product checks at its end that no proven money was without effect.

/** What the product has counted: proofs that changed nothing, and events that it refused. */
export interface ProofCounts {
  unapplied: number;
  refused: number;
}

const COUNTERS: Readonly<Record<keyof ProofCounts, RegExp>> = {
  unapplied: /^(?:payment|refund|settlement)_proofs_unapplied_total(?:\{.*\})? (\d+)$/gm,
  refused: /^observations_refused_total(?:\{.*\})? (\d+)$/gm,
};

function getCount(metrics: string, pattern: RegExp): number {
  return [...metrics.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0);
}

export function proofCountsIn(metrics: string): ProofCounts {
  return {
    unapplied: getCount(metrics, COUNTERS.unapplied),
    refused: getCount(metrics, COUNTERS.refused),
  };
}

export interface ProofWatch {
  /** Names what a test causes on purpose. */
  expect(more: Partial<ProofCounts>): void;
  /** Throws unless the counts are those that were named. */
  check(): Promise<void>;
}

/** Reads the text of /metrics, however many processes it comes from. */
export function createProofWatch(metrics: () => Promise<string>): ProofWatch {
  const announced: ProofCounts = { unapplied: 0, refused: 0 };
  return {
    expect: ({ unapplied = 0, refused = 0 }) => {
      announced.unapplied += unapplied;
      announced.refused += refused;
    },
    check: async () => {
      const counted = JSON.stringify(proofCountsIn(await metrics()));
      if (counted === JSON.stringify(announced)) return;
      throw new Error(
        `proofs and refusals: counted ${counted}, announced ${JSON.stringify(announced)}`,
      );
    },
  };
}
