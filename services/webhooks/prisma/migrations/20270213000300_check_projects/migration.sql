alter table secrets validate constraint secrets_project_known;
