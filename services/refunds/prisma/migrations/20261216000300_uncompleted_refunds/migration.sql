-- A list of refunds that wait or failed is not searched for among the completed ones, which are nearly all.
create index concurrently if not exists refunds_uncompleted on refunds (project_id, mode, created_at, id)
  where status <> 'completed';
