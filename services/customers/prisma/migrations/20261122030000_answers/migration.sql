-- An erasure finds the stored answers that show the customer: each begins with the customer's id.
create index idempotency_answers on idempotency (substr(response, 1, 32));
