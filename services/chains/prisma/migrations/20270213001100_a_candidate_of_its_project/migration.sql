-- What a transfer pays is of the project for which it is allocated.
alter table allocations
  add constraint allocations_project_id_candidate_id_fkey foreign key (project_id, candidate_id)
    references candidates (project_id, id) on delete restrict on update restrict not valid;
