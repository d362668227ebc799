-- Locks the candidates whose proofs stand on orphaned transfers, with all other proofs of a subject that is not
-- confirmed any more. Ids give the order, as for verdicts, so that two writers cannot deadlock.
-- @param $1:chainId
with revoked as (
  select distinct c.project_id, c.id, c.mode, c.subject_id, c.state from transfers t
    join allocations a on a.transfer_id = t.id
    join candidates c on c.project_id = a.project_id and c.id = a.candidate_id
  where t.chain_id = $1 and t.status = 'orphaned' and c.state in ('confirmed', 'surplus')
    and starts_with(c.subject_id, 'pay_')
)
select c.*, (
  select sum(t.value) from allocations a join transfers t on t.id = a.transfer_id where a.candidate_id = c.id
) as "received!"
from candidates c
where c.state in ('confirmed', 'surplus') and (c.project_id, c.id) in (
  select project_id, id from revoked
  union
  select o.project_id, o.id from revoked r join candidates o using (project_id, mode, subject_id)
  where r.state = 'confirmed')
order by c.id for update of c
