-- Finds owners by id, or by what their address contains.
-- @param $1:ids
-- @param $2:contained?
select owner.* /* except created_at */, (select count(*) from notes where owner_id = owner.id) as "notes!"
from owners owner
where owner.id = any($1) or strpos(owner.email, $2::text) > 0
order by owner.id;
