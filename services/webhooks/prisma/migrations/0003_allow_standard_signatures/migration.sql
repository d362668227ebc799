alter table endpoints drop constraint endpoints_signature_scheme_known;
alter table endpoints add constraint endpoints_signature_scheme_known
  check (signature_scheme in ('v1', 'sha256', 'standard')) not valid;
alter table endpoints validate constraint endpoints_signature_scheme_known;
