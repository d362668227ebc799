-- Stores what says which wallets of projects are screened. An older version of a project changes nothing.
-- @param {Json} $1:policies
insert into screening_policies as p (project_id, version, policy)
select project_id, version, policy
from json_to_recordset($1) as input (project_id text, version integer, policy jsonb /* null */)
order by project_id
on conflict (project_id) do update set version = excluded.version, policy = excluded.policy
where p.version < excluded.version
