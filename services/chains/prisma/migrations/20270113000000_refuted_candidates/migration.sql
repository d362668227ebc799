-- Hashes that proved nothing leave after a time. Prisma's schema has no word for such an index.
create index concurrently candidates_refuted on candidates (coalesce(judged_at, give_up_at), id)
  where state in ('rejected', 'abandoned');
