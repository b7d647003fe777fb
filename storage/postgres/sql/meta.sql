-- Settings of the database as a whole.

-- meta.values selects the values of names $1.
SELECT name, value FROM meta WHERE name = ANY($1);
