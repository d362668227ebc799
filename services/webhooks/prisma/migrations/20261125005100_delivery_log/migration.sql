-- Where an attempt was sent. Attempts of the version before do not say.
alter table attempts add column url text;

-- Parked: the event came, or its time was due, while the endpoint was disabled. It can be recovered.
alter table deliveries drop constraint deliveries_state_known;
alter table deliveries add constraint deliveries_state_known
  check (state in ('live', 'delivered', 'failed', 'parked')) not valid;

-- The number of an event in the order of its project and mode. It is drawn from event_feeds by the statement that stores
-- the event, whose lock lasts until the commit, so that a reader who has seen a number has seen all lower ones. Events
-- of the version before have none.
alter table events add column position bigint;
create table event_feeds (
  project_id    text not null,
  mode          smallint not null,
  last_position bigint not null,

  constraint event_feeds_pkey primary key (project_id, mode),
  constraint event_feeds_mode_known check (mode in (1, 2))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);
