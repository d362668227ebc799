-- Shoppers read the payments they are bound to as payers, also before any transfer names them as the sender.
create index payments_payer on payments (project_id, mode, payer_address, created_at desc)
  where payer_address is not null;
