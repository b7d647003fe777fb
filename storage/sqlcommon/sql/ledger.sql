-- The lines of the ledger (meter.Line). A reference that is not empty occurs once for each kind
-- of line and agent.

-- {ledger.select} selects the columns of a line.
SELECT number, at, kind, charge, reference, postings, previous, hash FROM ledger

-- ledger.last selects the last line.
{ledger.select} ORDER BY number DESC LIMIT 1;

-- ledger.of_reference selects the line of kind $1 and agent $2 with reference $3, which is not
-- empty.
{ledger.select} WHERE kind = $1 AND agent = $2 AND reference = $3 AND reference <> '';

-- ledger.after selects at most $2 lines after number $1.
{ledger.select} WHERE number > $1 ORDER BY number LIMIT $2;

-- ledger.all selects all lines, for a dump.
{ledger.select} ORDER BY number;

-- ledger.append inserts a line, unless its reference has one: $1 … $9 the columns.
INSERT INTO ledger (number, at, kind, charge, reference, agent, postings, previous, hash)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (kind, agent, reference) WHERE reference <> '' DO NOTHING;
