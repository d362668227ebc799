-- A worker knows its endpoints by their ids alone.
create index concurrently secrets_endpoint_id_idx on secrets (endpoint_id);
