import { describeStatementPlans } from "@pay/testing";
import * as statements from "../src/generated/sql.ts";

const CURRENCY = "case when n % 3 = 0 then 'native' else 'token ' || n % 3 end";
const RECIPIENT = "'recipient ' || n % 500";

describeStatementPlans({
  folder: "services/chains",
  statements,
  values: {
    // Few hashes, transfers and intents are open at a time.
    "candidates.state":
      "case n % 200 when 0 then 'waiting' when 1 then 'rejected' when 2 then 'abandoned' else 'confirmed' end",
    "candidates.recipient": RECIPIENT,
    "candidates.currency": CURRENCY,
    "candidates.waits_for": "case when n % 400 = 0 then 'signature' end",
    "candidates.other_payers": "null::jsonb",
    "transfers.status": "case n % 200 when 0 then 'seen' when 1 then 'orphaned' else 'final' end",
    "transfers.recipient": RECIPIENT,
    "transfers.currency": CURRENCY,
    "watches.state": "case when n % 10 = 0 then 'open' else 'closed' end",
    "watches.recipient": RECIPIENT,
    "watches.currency": CURRENCY,
    "known_recipients.recipient": RECIPIENT,
    "known_recipients.currency": CURRENCY,
    "book_accounts.wallet": "'recipient ' || n",
    "book_accounts.checked_block": "n",
    "intents.state": "case n % 200 when 0 then 'waiting' when 1 then 'signed' else 'completed' end",
  },
  small: {
    chains: "an operator configures them",
    tokens: "an operator configures them",
    cursors: "one for each chain",
    signers: "an operator configures them",
    book_cursors: "one for each chain",
    book_differences: "an operator settles each of them",
  },
  whole: {
    recheckOnHold: "few candidates are on hold, and the index that it reads holds no others",
  },
});
