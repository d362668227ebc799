-- Lists the load of an endpoint at each worker that reports one. The caller has proven whose endpoint it is.
-- @param $1:endpointId
select worker, concurrency, backlog from endpoint_loads where endpoint_id = $1
