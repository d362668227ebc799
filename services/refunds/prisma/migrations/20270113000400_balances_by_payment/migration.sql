-- The version before opens a balance by this column alone while it is replaced; a later one drops the index.
create unique index concurrently refund_balances_payment on refund_balances (payment_id);
