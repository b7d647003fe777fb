-- The balances of accounts: the sums of the postings in the ledger.

-- account.balance selects the balance of account $1.
SELECT balance FROM account WHERE name = $1;

-- account.after selects at most $2 accounts with their balances after name $1.
SELECT name, balance FROM account WHERE name > $1 ORDER BY name LIMIT $2;

-- account.add adds $2 to the balance of account $1. It is no upsert, because an upsert would
-- check the constraint of the column on $2 itself, not on the sum.
UPDATE account SET balance = balance + $2 WHERE name = $1;

-- account.insert inserts account $1 with balance $2.
INSERT INTO account (name, balance) VALUES ($1, $2);
