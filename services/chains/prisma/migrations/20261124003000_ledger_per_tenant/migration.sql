-- A transfer pays once inside a tenant. What another tenant claims has no effect on it.
alter table allocations add column project_id text, add column mode smallint;

update allocations a set project_id = c.project_id, mode = c.mode
from candidates c where c.id = a.candidate_id;

-- The version before this one does not name the tenant. An allocation belongs to the tenant of its candidate in any case.
create function allocations_take_tenant() returns trigger language plpgsql as $$
begin
  select c.project_id, c.mode into new.project_id, new.mode from candidates c where c.id = new.candidate_id;
  return new;
end $$;

create trigger allocations_tenant before insert on allocations
  for each row when (new.project_id is null or new.mode is null) execute function allocations_take_tenant();

-- The name stays: both versions know by it that a transfer was taken meanwhile.
alter table allocations
  alter column project_id set not null,
  alter column mode set not null,
  add constraint allocations_mode_known check (mode in (1, 2)),
  drop constraint allocations_pkey,
  add constraint allocations_pkey primary key (transfer_id, project_id, mode);

-- By what the claimants of one transaction are ranked.
alter table candidates
  add column merchant_submitted boolean not null default false,
  add column payer_declared_at timestamptz(3),
  add column first_seen_at timestamptz(3),
  add column proving_tx_hash text;

-- The version before this one writes it; nothing reads it any more.
alter table candidates alter column exact set default false;

alter table candidates
  drop constraint candidates_state_known,
  drop constraint candidates_judged_has_time,
  add constraint candidates_state_known
    check (state in ('waiting', 'confirmed', 'surplus', 'rejected', 'abandoned')) not valid,
  add constraint candidates_judged_has_time
    check ((state in ('confirmed', 'surplus', 'rejected')) = (judged_at is not null)) not valid,
  add constraint candidates_proving_hash_lower check (proving_tx_hash ~ '^0x[0-9a-f]{64}$') not valid;
alter table candidates validate constraint candidates_state_known;
alter table candidates validate constraint candidates_judged_has_time;
alter table candidates validate constraint candidates_proving_hash_lower;

-- A declared payer holds back no other payment any more.
drop index candidates_bound;
