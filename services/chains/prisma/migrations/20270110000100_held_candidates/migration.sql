-- The few hashes that wait for a signature: they are looked at again as soon as another payment of the amount is decided.
create index concurrently if not exists candidates_held on candidates
  (chain_id, recipient, currency, project_id, mode, base_amount) where state = 'waiting' and waits_for = 'signature';
