-- held for the version before
-- It names intents and their transactions by the refund or settlement alone.
drop trigger signed_transactions_tenant on signed_transactions;
drop function signed_transactions_take_tenant();
alter table signed_transactions
  drop constraint signed_transactions_intent,
  drop constraint signed_transactions_pkey,
  add constraint signed_transactions_pkey primary key using index signed_transactions_of_a_project;
alter table signed_transactions drop constraint signed_transactions_tenant_known;
alter table intents
  drop constraint intents_pkey,
  add constraint intents_pkey primary key using index intents_of_a_project;
