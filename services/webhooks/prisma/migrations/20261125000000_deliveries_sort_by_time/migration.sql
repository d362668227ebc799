-- A uuid of version 7: its first 48 bits are the milliseconds at which it is made, so the primary key's index grows at
-- its end. The other bits come from gen_random_uuid(); existing ids stay.
create function uuid_of_now() returns uuid language sql volatile parallel safe as $$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
        from 1 for 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;
alter table deliveries alter column id set default uuid_of_now();
