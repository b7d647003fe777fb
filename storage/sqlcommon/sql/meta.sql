-- Settings of the database as a whole.

-- meta.value selects the value of name $1.
SELECT value FROM meta WHERE name = $1;

-- meta.put sets the value of name $1 to $2.
INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- meta.insert sets the value of name $1 to $2, unless it has one.
INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING;

-- meta.delete deletes name $1.
DELETE FROM meta WHERE name = $1;
