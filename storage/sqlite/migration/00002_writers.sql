-- Who wrote what: authors of types and descriptions, usage by last writer, names
-- of callers that called. And what bounds history and grants.

-- +goose Up

-- The agents that wrote an entry's current type and description, for entries
-- where one of them is not the owner. '' is unknown.
CREATE TABLE author (
  doc            INTEGER PRIMARY KEY REFERENCES entry,
  type_by        TEXT NOT NULL,
  description_by TEXT NOT NULL
) STRICT;

-- The same of former versions. Null is the owner.
ALTER TABLE history ADD COLUMN type_by TEXT;
ALTER TABLE history ADD COLUMN description_by TEXT;

-- Number of an entry's former versions and the bytes of their values and sources.
CREATE TABLE past (
  doc      INTEGER PRIMARY KEY REFERENCES entry,
  versions INTEGER NOT NULL,
  bytes    INTEGER NOT NULL
) STRICT;
INSERT INTO past SELECT doc, count(*), sum(coalesce(length(value), 0) + coalesce(length(source), 0)) FROM history GROUP BY doc;

-- Number of rows of table permit by store.
CREATE TABLE permit_count (
  store  TEXT PRIMARY KEY,
  grants INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO permit_count SELECT store, count(*) FROM permit GROUP BY store;

-- Usage counts the entries that an agent wrote last.
DROP TABLE usage;
CREATE TABLE usage (
  store   INTEGER NOT NULL,
  label   INTEGER NOT NULL,
  writer  TEXT NOT NULL,
  entries INTEGER NOT NULL,
  bytes   INTEGER NOT NULL,
  PRIMARY KEY (store, label, writer)
) STRICT, WITHOUT ROWID;
INSERT INTO usage SELECT store, label, updated_by, count(*), sum(coalesce(length(value), 0))
  FROM entry WHERE state = 0 GROUP BY store, label, updated_by;

-- Sharing with an id, or putting it into a chat or a session, used to claim it as
-- a caller's. Only ids that have called keep their name.
DELETE FROM name WHERE kind = 'caller' AND id NOT IN (
  SELECT owner FROM entry UNION SELECT updated_by FROM entry UNION SELECT deleted_by FROM entry
  UNION SELECT owner FROM history UNION SELECT updated_by FROM history UNION SELECT deleted_by FROM history
  UNION SELECT maker FROM permit UNION SELECT agent FROM replay UNION SELECT agent FROM setting);

-- The author of a text is taken to be the first who wrote it among the versions of
-- the entry, and among those of all entries at its path: an edit at a higher label
-- used to copy the fields of the entry below. Only entries that several agents
-- wrote, and paths that several agents wrote at, need that.
CREATE TEMP TABLE writing AS
  SELECT doc, version, store, namespace, key, owner, updated_by, updated_at, type, description FROM entry
  UNION ALL
  SELECT doc, version, store, namespace, key, owner, updated_by, updated_at, type, description FROM history;
CREATE TEMP TABLE shared_doc AS
  SELECT doc FROM writing GROUP BY doc HAVING min(updated_by) <> max(updated_by) OR min(updated_by) <> min(owner)
  UNION
  SELECT w.doc FROM writing w JOIN
    (SELECT store, namespace, key FROM writing GROUP BY store, namespace, key HAVING min(updated_by) <> max(updated_by)) p
    ON p.store = w.store AND p.namespace = w.namespace AND p.key = w.key;
CREATE TEMP TABLE written AS
  SELECT doc, version, owner,
    first_value(updated_by) OVER (PARTITION BY doc, type ORDER BY version) AS type_here,
    first_value(updated_by) OVER (PARTITION BY store, namespace, key, type ORDER BY updated_at, version) AS type_there,
    first_value(updated_by) OVER (PARTITION BY doc, description ORDER BY version) AS description_here,
    first_value(updated_by) OVER (PARTITION BY store, namespace, key, description ORDER BY updated_at, version) AS description_there
  FROM writing WHERE doc IN (SELECT doc FROM shared_doc);
CREATE TEMP TABLE wrote AS
  SELECT doc, version, owner,
    CASE WHEN type_here <> owner THEN type_here ELSE type_there END AS type_by,
    CASE WHEN description_here <> owner THEN description_here ELSE description_there END AS description_by
  FROM written;
DELETE FROM wrote WHERE type_by = owner AND description_by = owner;
CREATE INDEX temp.wrote_doc ON wrote (doc, version);

INSERT INTO author SELECT w.doc, w.type_by, w.description_by FROM wrote w JOIN entry e ON e.doc = w.doc AND e.version = w.version;
-- A rename to another store used to leave a deleted entry and begin a new one: the
-- authors of its fields are in the deleted one.
INSERT INTO author SELECT e.doc, a.type_by, a.description_by FROM author a JOIN entry d ON d.doc = a.doc
  JOIN entry e ON e.created_at = d.deleted_at AND e.owner = d.owner AND e.store <> d.store AND e.description = d.description AND e.type = d.type
  WHERE d.deleted_at IS NOT NULL ON CONFLICT DO NOTHING;
UPDATE history SET type_by = w.type_by, description_by = w.description_by
  FROM wrote w WHERE w.doc = history.doc AND w.version = history.version;

DROP TABLE temp.writing;
DROP TABLE temp.shared_doc;
DROP TABLE temp.written;
DROP TABLE temp.wrote;

-- +goose Down

DROP TABLE usage;
CREATE TABLE usage (
  store   INTEGER NOT NULL,
  label   INTEGER NOT NULL,
  owner   TEXT NOT NULL,
  entries INTEGER NOT NULL,
  bytes   INTEGER NOT NULL,
  PRIMARY KEY (store, label, owner)
) STRICT, WITHOUT ROWID;
INSERT INTO usage SELECT store, label, owner, count(*), sum(coalesce(length(value), 0))
  FROM entry WHERE state = 0 GROUP BY store, label, owner;
DROP TABLE permit_count;
DROP TABLE past;
ALTER TABLE history DROP COLUMN description_by;
ALTER TABLE history DROP COLUMN type_by;
DROP TABLE author;
