-- A grant exists from the label of the session that made it up, and counts where no store is
-- named once its grantee has accepted it. Those of earlier versions were seen at every label,
-- and needed no acceptance.

-- +goose Up

CREATE TABLE permit_labelled (
  store       TEXT NOT NULL,
  grantee     TEXT NOT NULL,
  label       INTEGER NOT NULL,
  level       INTEGER NOT NULL,
  max_label   INTEGER NOT NULL,
  expires_at  INTEGER,
  maker       TEXT NOT NULL,
  by_platform INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  accepted    INTEGER NOT NULL DEFAULT 0, -- the lowest label in which the grantee accepted it; 0: none
  searches_per_hour INTEGER NOT NULL DEFAULT 0, -- 0: the default
  entries_per_day   INTEGER NOT NULL DEFAULT 0,
  offer             TEXT NOT NULL DEFAULT '', -- '': not metered
  terms             TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (store, grantee, label)
) STRICT, WITHOUT ROWID;
INSERT INTO permit_labelled (store, grantee, label, level, max_label, expires_at, maker, by_platform, created_at, accepted,
  searches_per_hour, entries_per_day, offer, terms)
  SELECT store, grantee, 1, level, max_label, expires_at, maker, by_platform, created_at, 1,
  searches_per_hour, entries_per_day, offer, terms FROM permit;
DROP TABLE permit;
ALTER TABLE permit_labelled RENAME TO permit;
CREATE INDEX permit_grantee ON permit (grantee, store);
CREATE INDEX permit_expiry ON permit (expires_at) WHERE expires_at IS NOT NULL;

-- Number of rows of table permit by store and label.
CREATE TABLE permit_count_labelled (
  store  TEXT NOT NULL,
  label  INTEGER NOT NULL,
  grants INTEGER NOT NULL,
  PRIMARY KEY (store, label)
) STRICT, WITHOUT ROWID;
INSERT INTO permit_count_labelled (store, label, grants) SELECT store, 1, grants FROM permit_count;
DROP TABLE permit_count;
ALTER TABLE permit_count_labelled RENAME TO permit_count;

-- The switches that a platform token turned off: see acl.Switches. Of earlier ones it is not
-- known who did.
ALTER TABLE setting ADD COLUMN locked INTEGER NOT NULL DEFAULT 0;
