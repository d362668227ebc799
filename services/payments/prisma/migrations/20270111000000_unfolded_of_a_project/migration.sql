-- A list finds the hour in which a far page begins. The counts of a project that are not folded yet are few among all its hours.
create index concurrently payment_spans_unfolded_of_project on payment_spans (project_id, mode, since) where shard >= 8;
