-- A new database has erased nothing. Its row said that it had, once.

-- +goose Up

UPDATE erasure SET erased = 0 WHERE erased = 1 AND scrubbed = 0 AND NOT urgent;
