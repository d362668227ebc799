-- Payments that any wallet may pay, by amount. Those that were cancelled are apart: a shop may have more of them than of others.
create index concurrently watches_unbound_open_amounts on watches
  (chain_id, recipient, currency, project_id, mode, cancelled, base_amount, expires_at) where state = 'open' and payer is null;
