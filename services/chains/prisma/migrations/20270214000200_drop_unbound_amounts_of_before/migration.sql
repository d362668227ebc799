-- held for the version before
drop index concurrently if exists watches_unbound_amounts;
