-- Adds this process to the workers.
-- @param $1:host
insert into workers (host) values ($1) returning id
