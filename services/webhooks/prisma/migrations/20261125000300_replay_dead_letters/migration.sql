-- Since when the consumer is asked to handle the event again.
alter table dead_letters add column replay_at timestamptz(3);
