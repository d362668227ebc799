-- A secret signs from this time on. Until then it is the next one, which signs a header of its own.
alter table secrets add column active_at timestamptz(3) not null default current_timestamp;
