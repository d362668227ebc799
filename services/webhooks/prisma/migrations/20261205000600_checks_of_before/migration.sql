-- What a table must prove before it can be a partition. Writes go on meanwhile.
alter table events validate constraint events_of_before;
alter table deliveries validate constraint deliveries_of_before;
alter table deliveries validate constraint deliveries_state_known;
alter table attempts validate constraint attempts_of_before;
