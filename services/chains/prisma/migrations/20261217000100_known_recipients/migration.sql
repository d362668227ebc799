-- Where money of a tenant arrives: the recipients of its payments, and, with the sender, those of its refunds and
-- settlements. Transfers to them are the tenant's to see, also long after its payments are closed.
create table known_recipients (
  project_id  text not null,
  mode        smallint not null,
  chain_id    bigint not null,
  recipient   text not null,
  currency    text not null,
  -- Empty: from anyone.
  sender      text not null,
  known_since timestamptz(3) not null,

  constraint known_recipients_pkey primary key (project_id, mode, chain_id, recipient, currency, sender),
  constraint known_recipients_mode_known check (mode in (1, 2))
);
