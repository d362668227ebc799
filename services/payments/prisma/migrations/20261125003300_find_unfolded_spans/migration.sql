create index concurrently payment_spans_unfolded on payment_spans (project_id, mode, since) where shard >= 8;
