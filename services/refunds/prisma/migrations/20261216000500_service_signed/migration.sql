-- Whether the service signs and sends the transaction of a record itself. Decided when the record is made and never changed, so
-- that a merchant and the service never pay the same record both.
alter table refunds add column service_signed boolean not null default false;
alter table settlements add column service_signed boolean not null default false;
