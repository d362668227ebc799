-- How many payments of some kinds lie in each second at the newer or the older end of a period that has so many of them. A far
-- page of a list begins in the second that they name. The part of the period that probably has as many as wanted is counted
-- first, and more of it only where that was too little. What counts as the period lies between the first and the last of these
-- payments: an hour that has just begun, or that had all of them within a minute, is empty otherwise. All is read in the order of
-- the index of kinds, as in payments_of_kind: of a new project PostgreSQL has no statistics, and expects one row of it.
create function payments_by_second(of_project text, of_mode smallint, of_variants smallint[], of_statuses text[],
  of_chains bigint[], period_from timestamptz, period_before timestamptz, payments_in_it numeric, from_newest boolean, wanted numeric)
returns table (since timestamptz, payments bigint) language plpgsql stable set enable_bitmapscan = off set enable_sort = off as $$
declare
  share double precision := 1.25 * wanted / payments_in_it;
  oldest timestamptz;
  newest timestamptz;
  length interval;
  seconds timestamptz[];
  counts bigint[];
begin
  select min(first.created_at), max(last.created_at) into oldest, newest
    from unnest(of_variants, of_statuses, of_chains) as kind (variant, status, chain_id)
    cross join lateral (
      select created_at from payment_records record
      where payment_kind_key(project_id, mode, variant, status, chain_id)
          = payment_kind_key(of_project, of_mode, kind.variant, kind.status, kind.chain_id)
        and project_id = of_project and mode = of_mode and record.variant = kind.variant and record.status = kind.status
        and record.chain_id = kind.chain_id and created_at >= period_from and created_at < period_before
      order by created_at limit 1
    ) first cross join lateral (
      select created_at from payment_records record
      where payment_kind_key(project_id, mode, variant, status, chain_id)
          = payment_kind_key(of_project, of_mode, kind.variant, kind.status, kind.chain_id)
        and project_id = of_project and mode = of_mode and record.variant = kind.variant and record.status = kind.status
        and record.chain_id = kind.chain_id and created_at >= period_from and created_at < period_before
      order by created_at desc limit 1
    ) last;
  loop
    length := date_trunc('second', (newest - oldest) * least(share, 1)) + interval '1 second';
    select array_agg(counted.second), array_agg(counted.n) into seconds, counts
      from (
        select of_second.second, sum(of_second.n)::bigint as n
        from unnest(of_variants, of_statuses, of_chains) as kind (variant, status, chain_id) cross join lateral (
          select date_bin('1 second', in_order.created_at, 'epoch') as second, count(*) as n from (
            select created_at from payment_records record
            where payment_kind_key(project_id, mode, variant, status, chain_id)
                = payment_kind_key(of_project, of_mode, kind.variant, kind.status, kind.chain_id)
              and project_id = of_project and mode = of_mode and record.variant = kind.variant and record.status = kind.status
              and record.chain_id = kind.chain_id
              and created_at >= case when from_newest then greatest(period_from, date_trunc('second', newest) + interval '1 second' - length)
                else period_from end
              and created_at < case when from_newest then period_before
                else least(period_before, date_trunc('second', oldest) + interval '1 second' + length) end
            order by created_at
          ) in_order
          group by 1
        ) of_second
        group by 1
      ) counted;
    exit when share >= 1 or (select coalesce(sum(n), 0) >= wanted from unnest(counts) as n);
    share := share * 4;
  end loop;
  return query select * from unnest(seconds, counts);
end $$;
