-- A grant exists from the label of the session that made it up, and counts where no store is
-- named once its grantee has accepted it. Those of earlier versions were seen at every label,
-- and needed no acceptance.

-- +goose Up

SET LOCAL statement_timeout = 0;

ALTER TABLE permit ADD COLUMN label smallint NOT NULL DEFAULT 1;
ALTER TABLE permit ADD COLUMN accepted smallint NOT NULL DEFAULT 1; -- the lowest label in which the grantee accepted it; 0: none
ALTER TABLE permit ALTER COLUMN label DROP DEFAULT;
ALTER TABLE permit ALTER COLUMN accepted SET DEFAULT 0;
ALTER TABLE permit DROP CONSTRAINT permit_pkey;
ALTER TABLE permit ADD PRIMARY KEY (store, grantee, label);

-- Number of rows of table permit by store and label.
ALTER TABLE permit_count ADD COLUMN label smallint NOT NULL DEFAULT 1;
ALTER TABLE permit_count ALTER COLUMN label DROP DEFAULT;
ALTER TABLE permit_count DROP CONSTRAINT permit_count_pkey;
ALTER TABLE permit_count ADD PRIMARY KEY (store, label);

-- The switches that a platform token turned off: see acl.Switches. Of earlier ones it is not
-- known who did.
ALTER TABLE setting ADD COLUMN locked smallint NOT NULL DEFAULT 0;
