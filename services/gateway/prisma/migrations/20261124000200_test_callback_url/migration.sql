-- Where events of test mode go. callback_url is the address of live mode and stays what it was.
alter table projects add column test_callback_url text;
alter table projects add constraint projects_test_callback_url_length
  check (char_length(test_callback_url) <= 2048);
