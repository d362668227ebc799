-- Payments that have one value, e.g. one order, newest first, after a place in the list. A subscription may have given most
-- payments of a project the same order. The planner has no statistics for partial indexes, expects few rows, and would sort
-- them all for each page. So these functions read the index in its order, and no further than asked.
create function payments_having_text(of_column text) returns text language sql immutable parallel safe
  return format($text$payment_records payment
    where payment_key(project_id, mode, %1$I) = payment_key($1, $2, $3)
      and project_id = $1 and mode = $2 and %1$I = $3
      and ($4 is null or status = any ($4)) and ($5 is null or variant = $5) and ($6 is null or chain_id = $6)
      and created_at >= $7 and created_at < $8$text$, of_column);

create function payments_having(of_column text, of_project text, of_mode smallint, of_value text, of_statuses text[],
  of_variant smallint, of_chain bigint, since timestamptz, before timestamptz, after_time timestamptz, after_id text, wanted bigint)
returns setof payment_records language plpgsql stable set enable_bitmapscan = off set enable_sort = off as $$
begin
  return query execute 'select payment.* from ' || payments_having_text(of_column) || '
      and created_at <= $9 and (created_at < $9 or id < $10)
    order by created_at desc, id desc limit $11'
    using of_project, of_mode, of_value, of_statuses, of_variant, of_chain, since, before, after_time, after_id, wanted;
end $$;

-- How many there are, up to a bound.
create function payments_having_count(of_column text, of_project text, of_mode smallint, of_value text, of_statuses text[],
  of_variant smallint, of_chain bigint, since timestamptz, before timestamptz, bound bigint)
returns bigint language plpgsql stable set enable_bitmapscan = off as $$
declare
  counted bigint;
begin
  execute 'select count(*) from (select from ' || payments_having_text(of_column) || ' limit $9) bounded'
    into counted
    using of_project, of_mode, of_value, of_statuses, of_variant, of_chain, since, before, bound;
  return counted;
end $$;
