-- Paid searches by Idempotency-Key and payment (meter.Claim). key and payment are empty if there
-- is none. The conditions that they are not empty let statements use the partial indexes.

-- {claim.columns} are the columns of a claim.
id, agent, taint, call, path, key, payment, digest, state, fence, held_until, expires_at, outcome, settlement

-- claim.by_id selects claim $1.
SELECT {claim.columns} FROM claim WHERE id = $1;

-- claim.of_key selects the claim of a key: $1 agent, $2 taint, $3 call, $4 path, $5 key.
SELECT {claim.columns} FROM claim WHERE agent = $1 AND taint = $2 AND call = $3 AND path = $4 AND key = $5 AND key <> '';

-- claim.of_payment selects the claim of payment $1.
SELECT {claim.columns} FROM claim WHERE payment = $1 AND payment <> '';

-- claim.lapsed selects at most $2 pending claims that were held until $1 or earlier.
SELECT {claim.columns} FROM claim WHERE state = 'pending' AND held_until <= $1 ORDER BY held_until, id LIMIT $2;

-- claim.paid selects all claims with a payment, for a dump.
SELECT {claim.columns} FROM claim WHERE payment <> '' ORDER BY id;

-- claim.insert inserts a claim with the columns $1 … $14, unless there is one with its ID, key
-- or payment.
INSERT INTO claim ({claim.columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING;

-- claim.update replaces a claim, unless another claim has its key or payment: $1 … $14 the
-- columns. It checks that itself, because an update that violated a constraint would end the
-- transaction.
UPDATE claim SET agent = $2, taint = $3, call = $4, path = $5, key = $6, payment = $7, digest = $8, state = $9, fence = $10,
	held_until = $11, expires_at = $12, outcome = $13, settlement = $14 WHERE id = $1 AND NOT EXISTS
	(SELECT 1 FROM claim o WHERE o.agent = $2 AND o.taint = $3 AND o.call = $4 AND o.path = $5 AND o.key = $6 AND o.key <> '' AND o.id <> $1)
	AND NOT EXISTS (SELECT 1 FROM claim o WHERE o.payment = $7 AND o.payment <> '' AND o.id <> $1);

-- claim.delete deletes claim $1.
DELETE FROM claim WHERE id = $1;

-- claim.expire deletes the claims that have expired at $1 and are not pending.
DELETE FROM claim WHERE expires_at <= $1 AND state <> 'pending';
