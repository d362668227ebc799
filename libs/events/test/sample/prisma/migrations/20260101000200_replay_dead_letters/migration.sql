alter table dead_letters add column replay_at timestamptz(3);
