-- The logo of a project as it was read, so that a shopper's browser asks no one but this service.
create table logos (
  project_id text not null,
  source_url text not null,
  digest     bytea not null,
  type       text not null,
  content    bytea not null,

  constraint logos_pkey primary key (project_id),
  constraint logos_project_id_fkey foreign key (project_id) references projects (id) on delete cascade on update no action,
  constraint logos_type_known check (type in ('image/png', 'image/jpeg', 'image/webp')),
  constraint logos_content_bounded check (octet_length(content) between 1 and 102400)
);
create index logos_digest_idx on logos (digest);
