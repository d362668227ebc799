-- Codes that open a payment once in another browser of the shopper. Each lives for minutes, so the table stays small.
create table handoffs (
  payment_id text not null,
  -- SHA-256 of the code: who reads the table can open nothing.
  digest     bytea not null,
  expires_at timestamptz(3) not null,

  constraint handoffs_pkey primary key (payment_id),
  constraint handoffs_digest_whole check (octet_length(digest) = 32)
);
create index handoffs_expires_at_idx on handoffs (expires_at);
