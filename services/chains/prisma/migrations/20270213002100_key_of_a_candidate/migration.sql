-- held for the version before
-- It looks for candidates by their number alone.
alter table allocations drop constraint allocations_candidate_id_fkey;
alter table candidates
  drop constraint candidates_pkey,
  add constraint candidates_pkey primary key using index candidates_of_a_project;
