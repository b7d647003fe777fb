-- When what an entry tells of happened, according to its writer. Null is none.

-- +goose Up

-- occurred_at is the first instant of a date; occurred_date says that no time of
-- day is known.
ALTER TABLE entry ADD COLUMN occurred_at timestamptz, ADD COLUMN occurred_date boolean;
ALTER TABLE history ADD COLUMN occurred_at timestamptz, ADD COLUMN occurred_date boolean;

-- +goose Down

ALTER TABLE history DROP COLUMN occurred_at, DROP COLUMN occurred_date;
ALTER TABLE entry DROP COLUMN occurred_at, DROP COLUMN occurred_date;
