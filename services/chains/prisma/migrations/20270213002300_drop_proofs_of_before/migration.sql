-- held for the version before
drop index concurrently if exists candidates_confirmed;
