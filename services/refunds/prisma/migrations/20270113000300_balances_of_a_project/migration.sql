create unique index concurrently refund_balances_of_a_project on refund_balances (project_id, payment_id);
