-- The kinds of IDs: agent, chat or user.

-- name.kind selects the kind of ID $1.
SELECT kind FROM name WHERE id = $1;

-- name.all selects all names, for a dump.
SELECT id, kind FROM name ORDER BY id;

-- name.insert records that ID $1 is of kind $2, unless it has one.
INSERT INTO name (id, kind) VALUES ($1, $2) ON CONFLICT DO NOTHING;
