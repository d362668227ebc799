-- A refund may be paid by further wallets of its merchant.
set local lock_timeout = '5s';

alter table refunds add column payout_wallets text[] not null default '{}';
alter table refunds add column paid_from text;

-- The wallet that was to pay still has the money, so it can be settled.
create trigger refunds_wallet_paid_elsewhere after update of status on refunds
  for each row when (old.wallet_counted and old.status = 'created' and new.status = 'completed'
    and new.paid_from <> lower(new.source_address))
  execute function wallet_refund_released();
