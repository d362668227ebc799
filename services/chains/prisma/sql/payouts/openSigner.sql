-- Reads the state of a wallet that the service signs for, and stores the wallet where it is new.
-- @param $1:chainId
-- @param $2:address
insert into signers as s (chain_id, address) values ($1, $2)
on conflict (chain_id, address) do update set address = s.address
returning next_nonce, frozen_at is not null as "is_frozen!"
