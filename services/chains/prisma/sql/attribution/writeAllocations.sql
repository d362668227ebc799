-- Writes which subjects are paid by proven transfers: those that are taken back first.
-- @param {Json} $1:revoked
-- @param {Json} $2:proven
with revoked as (
  select * from json_to_recordset($1) as revoked (transfer_id bigint, project_id text, mode smallint)
), proven as (
  select * from json_to_recordset($2) as proven (
    transfer_id bigint, project_id text, mode smallint, subject_id text)
), replaced as (
  -- The sums of the books may hold these.
  insert into book_corrections (transfer_id, project_id, mode, subject_id, recorded_at)
  select a.transfer_id, a.project_id, a.mode, a.subject_id, a.created_at
  from (select transfer_id, project_id, mode from revoked union select transfer_id, project_id, mode from proven) changed
    join allocations a using (transfer_id, project_id, mode)
), deleted as (
  delete from allocations a using revoked r
  where a.transfer_id = r.transfer_id and a.project_id = r.project_id and a.mode = r.mode
    and not exists (
      select from proven p where p.transfer_id = r.transfer_id and p.project_id = r.project_id and p.mode = r.mode)
)
insert into allocations (transfer_id, project_id, mode, subject_id)
select transfer_id, project_id, mode, subject_id from proven
order by transfer_id, project_id, mode
on conflict (transfer_id, project_id, mode) do update set
  subject_id = excluded.subject_id, created_at = current_timestamp
