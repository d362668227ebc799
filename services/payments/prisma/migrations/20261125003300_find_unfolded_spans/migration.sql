create index concurrently payment_spans_unfolded on payment_spans (since, project_id, mode) where shard >= 8;
