-- The partitions of tables. All but one of the statements select the statements that recreate
-- the constraints, indexes, policies and grants of table $1 for its replacement in $2
-- partitions (partition.go).

-- partition.count counts the partitions.
SELECT count(*) FROM pg_inherits WHERE inhparent = 'entry'::regclass;

-- partition.create makes the partitions. A partitioned table itself has no storage parameters.
SELECT format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)%s',
		c.relname || '_p' || i, c.relname, $2::int, i, ' WITH (' || array_to_string(c.reloptions, ', ') || ')')
	FROM pg_class c, generate_series(0, $2::int - 1) i WHERE c.oid = $1::text::regclass ORDER BY i;

-- partition.constraints restores the constraints. A unique key of a partitioned table must
-- include the store: it is appended to a key of the ID only.
SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', $1::text, k.conname, CASE
		WHEN k.contype = 'p' AND NOT s.attnum = ANY (k.conkey) THEN regexp_replace(pg_get_constraintdef(k.oid), '\)$', ', store)')
		ELSE pg_get_constraintdef(k.oid) END)
	FROM pg_constraint k JOIN pg_attribute s ON s.attrelid = k.conrelid AND s.attname = 'store'
	WHERE k.conrelid = $1::text::regclass AND k.contype IN ('p', 'f') AND $2::int > 0 ORDER BY k.contype DESC, k.conname;

-- partition.indexes restores the indexes.
SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i WHERE i.indrelid = $1::text::regclass AND $2::int > 0
	AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid) ORDER BY i.indexrelid;

-- partition.policies restores the policies. They also apply to access by a partition's name.
WITH t AS (SELECT $1::text AS name UNION ALL SELECT $1::text || '_p' || i FROM generate_series(0, $2::int - 1) i)
	SELECT format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', t.name) FROM t, pg_class c
	WHERE c.oid = $1::text::regclass AND c.relrowsecurity AND c.relforcerowsecurity
	UNION ALL SELECT format('CREATE POLICY %I ON %I AS %s FOR %s USING (%s)', p.polname, t.name,
		CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
		CASE p.polcmd WHEN '*' THEN 'ALL' WHEN 'r' THEN 'SELECT' END, pg_get_expr(p.polqual, p.polrelid))
	FROM t, pg_policy p WHERE p.polrelid = $1::text::regclass;

-- partition.grants restores the grants.
SELECT format('GRANT %s ON %I TO %s%s', a.privilege_type, c.relname,
		CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END, CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
	FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = $1::text::regclass AND a.grantee <> c.relowner AND $2::int > 0;
