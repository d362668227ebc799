-- Payments that are looked for again among stored transfers. A new column without a default changes the catalog alone.
set local lock_timeout = '5s';

alter table watches add column again_xid bigint;
