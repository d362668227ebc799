import { describeStatementPlans } from "@pay/testing";
import * as statements from "../src/generated/sql.ts";

const CURRENCY = "case when n % 3 = 0 then 'native' else 'token ' || n % 3 end";
const RECIPIENT = "'recipient ' || n % 500";

describeStatementPlans({
  folder: "services/chains",
  statements,
  values: {
    // Few hashes, transfers and intents are open at a time.
    "transactions.state":
      "case n % 200 when 0 then 'waiting' when 1 then 'failed' when 2 then 'missing' else 'proven' end",
    "transactions.waits_for": "case when n % 400 = 0 then 'depth' end",
    "transactions.replaced_by": "case when n % 200 = 2 then 'hash ' || n end",
    "submissions.outcome":
      "case n % 200 when 0 then null when 1 then 'reverted' else 'counted' end",
    "submissions.judged_at": "case n % 200 when 0 then null else now() end",
    "submissions.sources": "null::jsonb",
    "submissions.base_amount": "null::numeric",
    "submissions.recipient": RECIPIENT,
    "submissions.currency": CURRENCY,
    "transfers.status": "case n % 200 when 0 then 'seen' when 1 then 'orphaned' else 'final' end",
    "transfers.recipient": RECIPIENT,
    "transfers.wallet": RECIPIENT,
    "transfers.currency": CURRENCY,
    "attributions.is_open": "n % 200 = 0",
    "attributions.rule": "case when n % 3 > 0 then 'lone' end",
    "attributions.payment_id": "case when n % 3 > 0 then 'pay_' || n end",
    "attributions.reason": "case when n % 3 = 0 then 'no_payment' end",
    "attributions.candidates": "null::jsonb",
    "watches.is_followed": "n % 10 = 0",
    "watches.has_parts": "n % 200 = 0",
    "watches.paid_block": "case when n % 10 > 0 then n end",
    "watches.signed_by": "case when n % 50 = 0 then 'wallet ' || n end",
    "watches.recipient": RECIPIENT,
    "watches.currency": CURRENCY,
    "deposits.recipient": RECIPIENT,
    "deposits.currency": CURRENCY,
    "deposits.amount": "case when n % 200 = 0 then 1 else 0 end",
    "deposits.next_at": "case when n % 200 = 0 then now() end",
    "screenings.next_at": "case when n % 200 = 0 then now() end",
    "screenings.is_blocked": "case when n % 200 > 0 then false end",
    "screenings.cause": "null::text",
    "screenings.is_told": "n % 200 > 1",
    "screenings.recipient": RECIPIENT,
    "screenings.currency": CURRENCY,
    "known_recipients.recipient": RECIPIENT,
    "known_recipients.currency": CURRENCY,
    "book_accounts.wallet": "'recipient ' || n",
    "book_accounts.checked_block": "n",
    "book_months.month": "'2026-' || lpad((1 + n % 12)::text, 2, '0')",
    "book_records.month": "'2026-' || lpad((1 + n % 12)::text, 2, '0')",
    "book_months.unexplained": "case when n % 1000 = 0 then 1 else 0 end",
    "book_records.unproven": "case when n % 1000 = 0 then 1 else 0 end",
    "book_months.balance": "n",
    "intents.state": "case n % 200 when 0 then 'waiting' when 1 then 'signed' else 'completed' end",
  },
  small: {
    attribution_queue: "wallets leave it as soon as they are decided",
    chains: "an operator configures them",
    tokens: "an operator configures them",
    cursors: "one for each chain",
    signers: "an operator configures them",
    book_cursors: "one for each chain",
    book_differences: "an operator settles each of them",
    book_corrections: "the next comparison takes them",
  },
  whole: {
    findOpenTransfers: "few decisions are open, and the index that it reads holds no others",
    findUntraced: "few payments ask for a hash, and the index that it reads holds no others",
    findUndecided: "few decisions are open, and the index that it reads holds no others",
  },
});
