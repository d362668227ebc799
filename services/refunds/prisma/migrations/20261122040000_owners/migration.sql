-- Whose refund it is, as the payment had it: shoppers who sign in list what is theirs. Refunds from before keep nulls
-- and are found by their payment.
alter table refunds
  add column payer_address  text,
  add column sender_address text,
  add column customer_id    text;

create index refunds_payer on refunds (project_id, mode, payer_address, created_at desc)
  where payer_address is not null;
create index refunds_sender on refunds (project_id, mode, sender_address, created_at desc)
  where sender_address is not null;
create index refunds_customer on refunds (project_id, mode, customer_id, created_at desc)
  where customer_id is not null;
