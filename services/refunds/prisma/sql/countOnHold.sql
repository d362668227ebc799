-- Records that are on hold, and wallets and payments that owe more than is proven of them; each counted up to a bound.
-- @param $1:rowsMax
select
  (select count(*)::integer from (
    select from refunds where status = 'created' and held_reason is not null limit $1) held) as "refunds!",
  (select count(*)::integer from (
    select from settlements where status = 'approved' and held_reason is not null limit $1) held) as "settlements!",
  (select count(*)::integer from (
    select from wallet_balances where credited < reserved_refunds + settled limit $1) uncovered) as "wallets!",
  (select count(*)::integer from (
    select from refund_balances where reserved > received limit $1) uncovered) as "payments!";
