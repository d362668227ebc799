// When each alert fires and when it stays silent, one value a minute. Faults begin with the first value.
import type { AlertCase } from "./prometheus.ts";

const HOUR = 60;

/** A series of this release, e.g. of("dead_letters", 'pod="a"'). */
function of(name: string, labels = ""): string {
  return `${name}{${['namespace="default"', labels].filter(Boolean).join(", ")}}`;
}

/** A gauge that is too high or too low from the start, and one that is so for a moment only. */
function gauge(name: string, firesWithin: number, fault: number, fine = 0): AlertCase {
  return {
    firesWithin,
    fault: { [name]: `${fault}x${HOUR}` },
    silence: { [name]: `${fine}x20 ${fault}x1 ${fine}x${HOUR}` },
  };
}

/** One that wakes at its first sample, so that only a good value is silent. */
function atOnce(name: string, fault: number, fine = 0): AlertCase {
  return {
    firesWithin: 1,
    fault: { [name]: `${fault}x5` },
    silence: { [name]: `${fine}x${HOUR}` },
  };
}

/** A counter wakes by its first event. */
function counter(name: string): AlertCase {
  return {
    firesWithin: 3,
    fault: { [name]: `_ 1x${HOUR}` },
    silence: { [name]: `0x${HOUR}` },
  };
}

/** A share of bad ones: burst within minutes; a small loss is silent. */
function burn(
  firesWithin: number,
  { bad, all, isGood = false }: { bad: string; all: string; isGood?: boolean },
): AlertCase {
  const series = (share: number): Record<string, string> => ({
    [bad]: `0+${isGood ? 10_000 - share : share}x${HOUR}`,
    [all]: `0+${isGood ? 10_000 : 10_000 - share}x${HOUR}`,
  });
  return { firesWithin, fault: series(2_500), silence: series(5) };
}

const requests = (suffix: string, labels: string) =>
  of(`http_server_request_duration_seconds_${suffix}`, labels);
const CREATE = 'method="POST", route="/v1/payments", status_code="201"';
const READ = 'method="GET", route="/v1/payments/{id}", status_code="200"';
const CONFIRMED = 'event="payment.confirmed"';

const errors = {
  bad: requests("count", 'status_code="503"'),
  all: requests("count", 'status_code="201"'),
};
const creations = {
  bad: requests("bucket", `${CREATE}, le="1"`),
  all: requests("count", CREATE),
  isGood: true,
};
const reads = {
  bad: requests("bucket", `${READ}, le="0.5"`),
  all: requests("count", READ),
  isGood: true,
};
const deliveries = {
  bad: of("webhook_event_delivery_seconds_bucket", `${CONFIRMED}, le="30"`),
  all: of("webhook_event_delivery_seconds_count", CONFIRMED),
  isGood: true,
};

const SERVICES = ["gateway", "payments", "customers", "refunds", "chains", "webhooks"];
const build = (service: string) => of("build_info", `pod="${service}-1", service="${service}"`);
const allAlive = Object.fromEntries(SERVICES.map((one) => [build(one), `1x${HOUR}`]));
const started = of("process_start_time_seconds", 'pod="refunds-1"');

const attempts = (failed: string): Record<string, string> => ({
  [of("webhook_attempt_total", 'result="ok"')]: `0+10x${HOUR}`,
  [of("webhook_attempt_total", 'result="bad_status"')]: failed,
});

const job = of("kube_job_failed", 'job_name="pay-payments-migrate-1", condition="true"');
const tries = of("kube_pod_container_status_restarts_total", 'container="migrate"');
const volume = (free: string): Record<string, string> => ({
  [of("kubelet_volume_stats_available_bytes", 'persistentvolumeclaim="pg"')]: free,
  [of("kubelet_volume_stats_capacity_bytes", 'persistentvolumeclaim="pg"')]: `100x${HOUR}`,
});

const CHAIN = 'chain="1"';
const PROVIDER = 'chain="1", provider="a"';

/** By name and severity. */
export const ALERT_CASES: Readonly<Record<string, AlertCase>> = {
  "PayApiErrors critical": burn(2, errors),
  "PayApiErrors warning": burn(17, errors),
  "PayCreateSlow critical": burn(2, creations),
  "PayCreateSlow warning": burn(17, creations),
  "PayReadSlow critical": burn(2, reads),
  "PayReadSlow warning": burn(17, reads),
  "PayWebhooksLate critical": burn(2, deliveries),
  "PayWebhooksLate warning": burn(17, deliveries),
  "PayServiceMissing critical": {
    firesWithin: 8,
    // Prometheus takes a series as gone five minutes after its last sample.
    fault: { ...allAlive, [build("chains")]: "1x0" },
    silence: { ...allAlive, [build("chains")]: `1x20 _x2 1x${HOUR}` },
  },
  "PayRestarts warning": {
    firesWithin: 8,
    fault: { [started]: "1 2 2 3 3 4x20" },
    silence: { [started]: `1x20 2x5 3x${HOUR}` },
  },
  "PayPoolExhausted warning": gauge(
    of("db_pool_connections", 'database="payments", state="waiting"'),
    3,
    3,
  ),
  "PayWebhooksFail warning": {
    firesWithin: 13,
    fault: attempts(`0+20x${HOUR}`),
    silence: attempts(`0+5x${HOUR}`),
  },
  "PayWebhooksWait warning": gauge(of("webhook_queue_oldest_age_seconds"), 6, 301),
  "PayJobFailed critical": {
    firesWithin: 1,
    fault: { [job]: "1x5" },
    silence: { [job]: `0x${HOUR}`, [tries]: `3x${HOUR}` },
  },
  "PayDiskFull critical": {
    firesWithin: 6,
    fault: volume(`9x${HOUR}`),
    silence: volume(`11x20 9x2 11x${HOUR}`),
  },
  "PayProofUnapplied critical": counter(of("payment_proofs_unapplied_total")),
  "PayObservationRefused critical": counter(of("observations_refused_total")),
  "PayDeadLetters warning": gauge(of("dead_letters", 'service="webhooks", pod="a"'), 6, 1),
  "PayOutboxWaits warning": gauge(of("outbox_oldest_age_seconds"), 6, 61, 60),
  "PayConsumerBehind warning": gauge(of("kafka_consumer_busy_seconds", 'group="a"'), 6, 61, 60),
  "PayConsumerSilent warning": gauge(of("kafka_consumer_silent_seconds", 'group="a"'), 6, 121, 120),
  "PayPartitionsRunOut critical": gauge(of("time_partitions_ahead_seconds"), 16, 14_399, 14_400),
  "PaySnapshotHeld warning": gauge(of("database_oldest_snapshot_seconds"), 6, 3_601, 3_600),
  "PayChainStandsStill critical": {
    firesWithin: 7,
    fault: { [of("chain_followed_block", CHAIN)]: `100x${HOUR}` },
    silence: { [of("chain_followed_block", CHAIN)]: "100 101x14 102x14 103x14 104x20" },
  },
  "PayProvidersDisagree warning": counter(of("chain_provider_disagreements_total", CHAIN)),
  "PayProviderFails warning": gauge(of("chain_provider_failing", PROVIDER), 11, 1),
  "PayProviderBehind warning": gauge(of("chain_provider_behind_blocks", PROVIDER), 11, 21, 20),
  "PayTransfersOrphaned warning": counter(of("chain_transfers_orphaned_total", CHAIN)),
  "PayProofsTakenBack critical": counter(of("chain_payments_unproven_total", CHAIN)),
  "PayTransactionsUnproven warning": counter(of("chain_transactions_unproven_total", CHAIN)),
  "PaySignerFrozen critical": atOnce(of("chain_signers_frozen", CHAIN), 1),
  "PaySignerUnusable warning": atOnce(of("chain_signers_unusable", CHAIN), 1),
  "PayTransfersHeld warning": gauge(of("chain_intents_held", 'chain="1", reason="low"'), 11, 1),
  "PayTransfersWait critical": gauge(of("chain_intents_oldest_seconds", CHAIN), 6, 3_601, 3_600),
  "PaySumsBroken critical": gauge(of("refund_sums_broken", 'of="payments"'), 6, 1),
  "PayProofsBroken critical": gauge(of("payment_proofs_broken", 'of="hashes"'), 6, 1),
  "PayBooksDiffer critical": atOnce(of("chain_book_differences", CHAIN), 1),
  "PayBooksBehind warning": {
    // The clock of promtool begins at 0, so a stamp of the past is negative.
    firesWithin: 16,
    fault: { [of("chain_books_checked_timestamp_seconds", CHAIN)]: `-7201x${HOUR}` },
    silence: { [of("chain_books_checked_timestamp_seconds", CHAIN)]: `-3000+60x${HOUR}` },
  },
  "PayWalletUncovered warning": gauge(of("wallets_uncovered"), 16, 1),
  "PayRefundsUncovered warning": gauge(of("refunds_uncovered"), 16, 1),
};
