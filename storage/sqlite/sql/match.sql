-- Parts of the queries that find the entries e of scope $1 that pass a filter. Go selects parts
-- and adds the conditions of the filter, whose parameters follow those of the part.

-- {match.with_ids} are the entries with IDs $2.
FROM json_each($2) j CROSS JOIN entry e ON e.id = unhex(j.value) JOIN scope ON scope.store = e.store

-- {match.with_tag} are the entries with tag $2.
FROM scope CROSS JOIN tag t ON t.store = scope.store AND t.label IN {entry.labels} AND t.label <= scope.ceiling AND t.tag = $2
	CROSS JOIN entry e ON e.doc = t.doc

-- {match.with_type} are the entries of type $2.
FROM scope CROSS JOIN entry e INDEXED BY entry_type ON e.store = scope.store AND e.label IN {entry.labels} AND e.type = $2 AND e.type <> ''

-- {match.all} are all entries.
FROM scope CROSS JOIN entry e INDEXED BY entry_live ON e.store = scope.store AND e.label IN {entry.labels}

-- {match.in_namespace} are the entries in namespace $2.
{match.all} AND e.namespace = $2

-- {match.at_path} are the entries at namespace $2 and key $3.
{match.in_namespace} AND e.key = $3

-- {match.with_words} are the entries whose forms match the expressions of $2, which lists
-- stores, labels and expressions. SECURITY: each partition of the scope is searched for its own
-- keys, and a result counts only if its row is in that partition.
FROM (SELECT value ->> 0 AS store, value ->> 1 AS ceiling, value ->> 2 AS expression FROM json_each($2)) scope
	CROSS JOIN word ON word.word MATCH scope.expression
	CROSS JOIN entry e ON e.doc = word.rowid AND e.store = scope.store AND e.label = scope.ceiling

-- {match.join_forms} joins the entries' forms w.
CROSS JOIN form w ON w.doc = e.doc

-- {match.judged} are the columns that Matching evaluates: all but the store's ID, the source and
-- the authors.
e.id, '', {entry.narrow}, {entry.occurred}, 0, '', '', NULL, e.value

-- {match.is_within} is the condition that the entries are live and within the scope.
e.label <= scope.ceiling AND e.state = 0

-- {match.occurred_at} is when the entry's event happened.
(SELECT o.at FROM occurrence o WHERE o.doc = e.doc)

-- {match.is_dated} is true if that time is a date.
(SELECT o.date > 0 FROM occurrence o WHERE o.doc = e.doc)
