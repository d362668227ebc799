-- The few open payments whose payer signed for them: a transfer of such a payer goes to no other payment.
create index concurrently if not exists watches_signed on watches (chain_id, recipient, currency, project_id, mode, payer)
  where state = 'open' and payer_signed_at is not null;
