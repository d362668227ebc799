-- held for the version before
-- It opened balances by the payment alone.
drop index concurrently if exists refund_balances_payment;
