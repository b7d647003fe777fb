-- What an entry tells of may have happened in a year or a month. Tables stay as they
-- are, but an earlier version cannot read the numbers.

-- +goose Up

-- occurrence.date and history.occurred_date: 0 a time, 1 a day, 2 a month, 3 a year,
-- of which at is the first instant.

-- +goose Down

UPDATE occurrence SET date = 1 WHERE date > 1;
UPDATE history SET occurred_date = 1 WHERE occurred_date > 1;
