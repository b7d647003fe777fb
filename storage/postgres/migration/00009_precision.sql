-- What an entry tells of may have happened in a year or a month.

-- +goose Up

-- 2 a month, 3 a year, of which occurred_at is the first instant and occurred_date is
-- true. Null is a time or a day.
ALTER TABLE entry ADD COLUMN occurred_precision smallint;
ALTER TABLE history ADD COLUMN occurred_precision smallint;

-- +goose Down

ALTER TABLE history DROP COLUMN occurred_precision;
ALTER TABLE entry DROP COLUMN occurred_precision;
