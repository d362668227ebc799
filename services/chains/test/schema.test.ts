import { test } from "@jest/globals";
import { describeWithPostgres, expectKeysOfProjects, expectNoDrift } from "@pay/testing";

describeWithPostgres("the database of chains", () => {
  test("its migrations yield its schema", () => expectNoDrift("services/chains"));

  test("its keys begin with the project", () =>
    expectKeysOfProjects("services/chains", {
      "allocations.allocations_pkey":
        "transfers belong to no project, and a transfer pays once in each",
      "attributions.attributions_pkey": "of transfers, which belong to no project; once in each",
      "authorizations.authorizations_nonces":
        "a payer's nonce is spent once on the chain, whoever sends it",
      blocks: "of the chain",
      book_accounts: "of wallets of the chain",
      "book_corrections.book_corrections_pkey": "a counter of what is taken within minutes",
      book_cursors: "of the chain",
      "book_differences.book_differences_account_id_kind_reference_key":
        "a difference belongs to a wallet of the chain",
      "book_differences.book_differences_pkey":
        "a counter of the books, which belong to wallets of the chain",
      book_months: "of wallets of the chain",
      book_movements: "of wallets of the chain",
      chains: "of the chain",
      cursors: "of the chain",
      "deposit_addresses.deposit_addresses_pkey": "an address of the chain is of one payment",
      "deposits.deposits_pkey": "of addresses of the chain",
      "intents.intents_nonces": "a wallet of a chain has each nonce once",
      "signed_transactions.signed_transactions_chain_id_tx_hash_key":
        "a transaction of the chain belongs to one intent",
      signers: "wallets of the operator",
      tokens: "of the chain",
      transactions: "of the chain; who waits for one is in submissions",
      transfers: "of the chain; whom one pays is in allocations",
    }));
});
