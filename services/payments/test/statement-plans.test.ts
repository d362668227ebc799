import { describeStatementPlans } from "@pay/testing";
import * as statements from "../src/generated/sql.ts";

describeStatementPlans({
  folder: "services/payments",
  statements,
  values: {
    "payments.mode": "1 + n % 2",
    "payments.variant": "1 + n % 2",
    "payments.status": "(array['created', 'processing', 'confirmed', 'expired'])[1 + n % 4]",
    "payments.tx_hash": "sha256(n::text::bytea)",
    "payments.money_tx_hash": "null",
    "payments.payer_address": "substr(sha256(n::text::bytea), 1, 20)",
    "payments.sender_address": "substr(sha256(n::text::bytea), 1, 20)",
    "payments.late_decision": "'accepted'",
    "payments.unnamed_transfers": "'hold'",
    "payments.hashes": "null",
    "payments.senders": "null",
    "payments.arrived": "null",
    "payments.due_at": "case when n % 4 = 1 then now() end",
    "payment_counts.project_id": "'proj_' || n % 400",
    "payment_counts.grain": "(array['day', 'hour'])[1 + n % 2]",
    "payment_counts.shard": "case when n % 100 = 0 then 1 else 0 end",
  },
  small: { handoffs: "a code lives for minutes" },
});
