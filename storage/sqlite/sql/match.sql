-- Parts of the queries that find the entries e of scope $1 which pass a filter. Go chooses among
-- them, and adds the conditions of the filter, whose parameters follow those of a part.

-- {match.with_ids} are those with IDs $2.
FROM json_each($2) j CROSS JOIN entry e ON e.id = unhex(j.value) JOIN scope ON scope.store = e.store

-- {match.with_tag} are those with tag $2.
FROM scope CROSS JOIN tag t ON t.store = scope.store AND t.label IN {entry.labels} AND t.label <= scope.ceiling AND t.tag = $2
	CROSS JOIN entry e ON e.doc = t.doc

-- {match.with_type} are those of type $2.
FROM scope CROSS JOIN entry e INDEXED BY entry_type ON e.store = scope.store AND e.label IN {entry.labels} AND e.type = $2 AND e.type <> ''

-- {match.all} are all.
FROM scope CROSS JOIN entry e INDEXED BY entry_live ON e.store = scope.store AND e.label IN {entry.labels}

-- {match.in_namespace} are those in namespace $2.
{match.all} AND e.namespace = $2

-- {match.at_path} are those at namespace $2 and key $3.
{match.in_namespace} AND e.key = $3

-- {match.with_words} are those whose forms fulfil the expressions of $2, which lists stores,
-- labels and expressions. SECURITY: each partition of the scope is asked for its own keys, and
-- what is found counts only if the row is in that partition.
FROM (SELECT value ->> 0 AS store, value ->> 1 AS ceiling, value ->> 2 AS expression FROM json_each($2)) scope
	CROSS JOIN word ON word.word MATCH scope.expression
	CROSS JOIN entry e ON e.doc = word.rowid AND e.store = scope.store AND e.label = scope.ceiling

-- {match.join_forms} joins their forms w.
CROSS JOIN form w ON w.doc = e.doc

-- {match.judged} are the columns that Matching evaluates: all but the store's ID, the source and
-- the authors.
e.id, '', {entry.narrow}, {entry.occurred}, 0, '', '', NULL, e.value

-- {match.is_within} is the condition that they are live and within the scope.
e.label <= scope.ceiling AND e.state = 0

-- {match.occurred_at} is when what they describe happened.
(SELECT o.at FROM occurrence o WHERE o.doc = e.doc)

-- {match.is_dated} is true if that has a date.
(SELECT o.date > 0 FROM occurrence o WHERE o.doc = e.doc)
