-- The rows of the version before, a thousand at a time, in the order of their key.
do $$
declare
  place record;
  last record;
begin
  select '' as subject_id, 0::smallint as ordinal into place;
  loop
    select subject_id, ordinal into last from (
      select subject_id, ordinal from signed_transactions
      where (subject_id, ordinal) > (place.subject_id, place.ordinal)
      order by subject_id, ordinal limit 1000) batch
    order by subject_id desc, ordinal desc limit 1;
    exit when not found;
    update signed_transactions s set project_id = i.project_id, mode = i.mode
    from intents i
    where i.subject_id = s.subject_id and s.project_id is null
      and (s.subject_id, s.ordinal) > (place.subject_id, place.ordinal)
      and (s.subject_id, s.ordinal) <= (last.subject_id, last.ordinal);
    commit;
    place := last;
  end loop;
end $$;
