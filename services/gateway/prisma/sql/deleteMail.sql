-- Deletes a mail that the mail server has taken.
-- @param $1:id
delete from mails where id = $1
