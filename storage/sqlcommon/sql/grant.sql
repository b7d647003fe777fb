-- Grants (table permit), and the number of a store's grants at each label (permit_count).

-- {grant.columns} are the columns of a grant.
store, grantee, label, level, max_label, expires_at, maker, by_platform, created_at, accepted,
	searches_per_hour, entries_per_day, offer, terms

-- {grant.select} also selects whether the grant is suspended (acl.Grant.Rests): it probes an
-- index of open offers.
SELECT {grant.columns},
	maker <> store AND EXISTS (SELECT 1 FROM offer o WHERE o.store = permit.store AND o.open AND (o.label <= permit.label OR o.label <= permit.max_label)) FROM permit

-- grant.of selects the grants of store $1 to grantee $2.
{grant.select} WHERE store = $1 AND grantee = $2 ORDER BY label;

-- grant.on selects the grants on store $1.
{grant.select} WHERE store = $1 ORDER BY grantee, label;

-- grant.to selects the grants to grantee $1.
{grant.select} WHERE grantee = $1 ORDER BY store, label;

-- grant.all selects all grants, for a dump.
{grant.select} ORDER BY store, grantee, label;

-- grant.insert inserts a grant with the columns $1 … $14, unless there is one with its key.
INSERT INTO permit ({grant.columns})
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING;

-- grant.delete deletes the grant of store $1 to grantee $2 at label $3.
DELETE FROM permit WHERE store = $1 AND grantee = $2 AND label = $3;

-- grant.expire deletes at most $2 grants that have expired at $1, and returns their stores and
-- labels. Both queries have the condition: if a row was renewed meanwhile, PostgreSQL checks only
-- the outer query's condition again.
DELETE FROM permit WHERE expires_at <= $1 AND (store, grantee, label) IN
	(SELECT store, grantee, label FROM permit WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2) RETURNING store, label;

-- grant.expire_on deletes the grants on store $1 that have expired at $2, and returns their
-- stores and labels.
DELETE FROM permit WHERE store = $1 AND expires_at <= $2 RETURNING store, label;

-- grant.count selects the number of grants of store $1 at label $2.
SELECT grants FROM permit_count WHERE store = $1 AND label = $2;

-- grant.add_count adds $3 to the number of grants of store $1 at label $2.
INSERT INTO permit_count (store, label, grants) VALUES ($1, $2, $3)
ON CONFLICT (store, label) DO UPDATE SET grants = permit_count.grants + excluded.grants;
