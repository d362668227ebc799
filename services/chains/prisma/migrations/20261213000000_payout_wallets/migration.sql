-- A refund may be paid by several wallets of its merchant.
alter table candidates add column other_payers jsonb;
