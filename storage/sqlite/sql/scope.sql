-- The scope of a search, for statements whose $1 is a list of its stores with their
-- ceilings, each as one number: 8·store + ceiling (scopeList).

-- {scope.table} begins a statement. SECURITY: every statement of a search joins it with both
-- conditions, store = scope.store and label <= scope.ceiling, so that rows outside the scope
-- are not read at all.
WITH scope (store, ceiling) AS MATERIALIZED
	(SELECT value >> 3, value & 7 FROM json_each($1))
