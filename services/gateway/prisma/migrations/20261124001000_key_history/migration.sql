-- Who made a key (the id of another key, or operator; null: made before this was kept), when it was last used, and the
-- version of the pepper its digest was made with. Keys from before versions are of version 1.
alter table api_keys add column created_by text;
alter table api_keys add column last_used_at timestamptz(3);
alter table api_keys add column pepper_version smallint not null default 1;
alter table api_keys add constraint api_keys_pepper_version check (pepper_version >= 1);
