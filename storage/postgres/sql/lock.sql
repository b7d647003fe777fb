-- Advisory locks by key, until the end of the transaction (lock.go).

-- lock.take takes lock $1, and shares lock $2.
SELECT pg_advisory_xact_lock_shared($2), pg_advisory_xact_lock($1);

-- lock.take_many takes locks $1 in order, and shares lock $2.
SELECT pg_advisory_xact_lock_shared($2), (SELECT count(pg_advisory_xact_lock(k)) FROM unnest($1::bigint[]) k);

-- lock.take_alone takes only lock $1.
SELECT pg_advisory_xact_lock($1);

-- lock.share_many shares locks $1 in order.
SELECT count(pg_advisory_xact_lock_shared(k)) FROM unnest($1::bigint[]) k;

-- lock.try takes lock $1 unless another transaction holds it, and reports whether it did.
SELECT pg_try_advisory_xact_lock($1);
