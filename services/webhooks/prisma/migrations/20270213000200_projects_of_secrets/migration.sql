-- The rows of the version before, a thousand at a time, in the order of their key.
do $$
declare
  place record;
  last record;
begin
  select '' as endpoint_id, 0::smallint as seq into place;
  loop
    select endpoint_id, seq into last from (
      select endpoint_id, seq from secrets
      where (endpoint_id, seq) > (place.endpoint_id, place.seq)
      order by endpoint_id, seq limit 1000) batch
    order by endpoint_id desc, seq desc limit 1;
    exit when not found;
    update secrets s set project_id = e.project_id
    from endpoints e
    where e.id = s.endpoint_id and s.project_id is null
      and (s.endpoint_id, s.seq) > (place.endpoint_id, place.seq)
      and (s.endpoint_id, s.seq) <= (last.endpoint_id, last.seq);
    commit;
    place := last;
  end loop;
end $$;
