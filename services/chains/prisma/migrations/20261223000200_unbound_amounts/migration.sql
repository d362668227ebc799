-- Payments that any wallet may pay, by amount.
create index concurrently if not exists watches_unbound_amounts on watches
  (chain_id, recipient, currency, project_id, mode, base_amount, expires_at) where state = 'open' and payer is null;
