-- Reads the oldest transaction that is open: what is visible now and older than it is all there will be.
select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "horizon!"
