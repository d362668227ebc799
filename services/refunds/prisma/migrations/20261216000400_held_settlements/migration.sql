-- Settlements that a person should look at, as refunds have such an index. A gauge counts them.
create index concurrently if not exists settlements_held on settlements (created_at)
  where status = 'approved' and held_reason is not null;
