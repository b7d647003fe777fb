-- Settings of the database, and what it knows of itself.

-- meta.values selects the values of names $1.
SELECT name, value FROM meta WHERE name = ANY($1);
