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

-- {scope.is_live} is state = 0 for statements that find entries by ID and name the store only
-- so that one partition is read. The partial indexes of live rows begin with the store: with
-- state = 0 and stale statistics, the planner would read all rows of the store by one.
state < 1
