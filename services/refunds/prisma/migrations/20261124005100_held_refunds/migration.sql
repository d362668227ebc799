-- Refunds that a person should look at; Prisma's schema has no word for such an index. Built beside the traffic, because
-- the table may be large.
create index concurrently if not exists refunds_held on refunds (created_at)
  where status = 'created' and held_reason is not null;
