-- The number of erasures of text, and their number when the file was last rewritten (scrub.go).

-- erasure.state selects the row.
SELECT erased, scrubbed, urgent, scrubbed_at FROM erasure WHERE id = 0;

-- erasure.count counts an erasure: $1 whether it is urgent.
UPDATE erasure SET erased = erased + 1, urgent = urgent OR $1 WHERE id = 0;

-- erasure.finish records that $1 erasures were scrubbed at $2, unless another process has
-- recorded as many. urgent stays set only if there were later erasures.
UPDATE erasure SET scrubbed = $1, urgent = urgent AND erased > $1, scrubbed_at = $2 WHERE id = 0 AND scrubbed < $1;
