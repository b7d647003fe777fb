-- Parts of the queries that find the entries e of a scope, $1 and $2, that pass a filter. Go
-- selects parts and adds the conditions of the filter, whose parameters follow those of the
-- part. For a scope of one store, Go adds the condition that rows belong to that store, which
-- confines the query to its partition.

-- {match.with_ids} are the entries with IDs $3; a condition on f may follow, and
-- {match.is_found}.
FROM unnest($3::uuid[]) named (id) CROSS JOIN LATERAL (SELECT * FROM entry f WHERE f.id = named.id

-- {match.word_rows} are the rows of word that match tsquery $3. SECURITY: the tsquery has only
-- keys of stores and labels within the scope, and {match.is_found} also checks the entries
-- themselves.
FROM (SELECT w.entry, w.store FROM word w WHERE w.keys @@ $3::text::tsquery

-- {match.with_words} are the entries of these rows; the store of f follows, and
-- {match.is_found}.
OFFSET 0) w CROSS JOIN LATERAL (SELECT * FROM entry f WHERE f.id = w.entry AND f.store =

-- {match.is_found} ends the parts that find entries by ID.
AND f.{scope.is_live} OFFSET 0) e JOIN scope ON scope.store = e.store AND e.label <= scope.ceiling WHERE e.in_context

-- {match.with_tag} are the entries with tag $3.
FROM scope JOIN tag t ON t.store = scope.store AND t.tag = $3 AND t.label <= scope.ceiling
	JOIN entry e ON e.id = t.entry AND e.store = t.store WHERE e.{scope.is_live} AND e.in_context

-- {match.all} are all entries; a condition may follow, and {match.is_within}.
FROM scope CROSS JOIN {scope.labels} JOIN entry e ON e.store = scope.store AND e.label = l.label

-- {match.with_type} are the entries of type $3.
{match.all} AND e.type = $3 AND e.type <> ''

-- {match.in_namespace} are the entries in namespace $3.
{match.all} AND e.namespace = $3

-- {match.at_path} are the entries at namespace $3 and key $4.
{match.in_namespace} AND e.key = $4

-- {match.is_within} is the condition that the entries are live and within the scope.
WHERE l.label <= scope.ceiling AND e.state = 0 AND e.in_context

-- {match.judged} are the columns that Matching evaluates: all but the store's ID, the source and
-- the authors.
e.id, '', {entry.narrow}, 0, '', '', NULL::bytea, e.value
