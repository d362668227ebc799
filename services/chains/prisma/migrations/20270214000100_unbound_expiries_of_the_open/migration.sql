-- The same, whatever they ask for.
create index concurrently watches_unbound_open_expiries on watches
  (chain_id, recipient, currency, project_id, mode, cancelled, expires_at) where state = 'open' and payer is null;
