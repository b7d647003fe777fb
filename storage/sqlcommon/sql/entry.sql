-- Entries.

-- entry.count_searchable counts the searchable entries after ID $1.
SELECT count(*) FROM entry WHERE id > $1 AND state = 0 AND in_context AND NOT encrypted;
