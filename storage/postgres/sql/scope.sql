-- The scope of a search, for statements whose $1 are the numbers of its stores and $2 their
-- ceilings (scopeLists).

-- {scope.table} begins a statement. SECURITY: every statement of a search joins it with both
-- conditions, store = scope.store and label <= scope.ceiling, so that rows outside the scope
-- are not read at all.
WITH {scope.rows}

-- {scope.rows} is the table of a scope.
scope AS MATERIALIZED
	(SELECT * FROM unnest($1::bigint[], $2::smallint[]) s (store, ceiling))

-- {scope.labels} are all labels, so that an index on (store, label, …) is searched label by
-- label. Statements add a condition that excludes labels above the ceiling.
(VALUES (1::smallint), (2), (3), (4)) l (label)

-- {scope.is_live} is state = 0 for statements that find entries by ID, and that name the store
-- only to read one partition. The partial indexes of live rows begin with the store: with a
-- plain state = 0 and stale statistics, the planner would use one to read all rows of the store.
state < 1

-- {scope.ceiling} is the ceiling of row f's store, null if that is not in the scope. It uses a
-- binary search; a join would read the whole scope for each row.
CASE WHEN ($1::bigint[])[width_bucket(f.store, $1::bigint[])] = f.store
	THEN ($2::smallint[])[width_bucket(f.store, $1::bigint[])] END

-- {scope.is_within} is the condition that row f is within the scope. SECURITY: statements that
-- find rows by ID use it instead of {scope.table}.
f.label <= {scope.ceiling}

-- {scope.only} is the store of a scope of one store. Such a scope has its own statements
-- (scoped), which name the store: selecting a partition for each row takes longer than reading
-- it.
($1::bigint[])[1]

-- {scope.is_within_one} is {scope.is_within} for a scope of one store.
{scope.is_within} AND f.store = {scope.only}
