-- Payments that any wallet may pay, whatever they ask for: those with a payer are found by the payer.
create index concurrently if not exists watches_unbound_expiries on watches
  (chain_id, recipient, currency, project_id, mode, expires_at) where state = 'open' and payer is null;
