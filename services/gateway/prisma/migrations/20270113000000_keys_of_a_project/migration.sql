-- As the keys of all rows of a project, the primary key begins with the project. A request names a key by its digest, which stays
-- unique by itself.
create unique index concurrently api_keys_of_a_project on api_keys (project_id, id);
