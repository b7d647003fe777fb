-- Who wrote what: authors of types and descriptions, usage by last writer, names
-- of callers that called. And what bounds history and grants.

-- +goose Up

SET LOCAL mneme.scope = '*'; -- row-level security

-- The agents that wrote the type and the description. Null is the owner, '' is
-- unknown.
ALTER TABLE entry ADD COLUMN type_by text COLLATE "C", ADD COLUMN description_by text COLLATE "C";
ALTER TABLE history ADD COLUMN type_by text COLLATE "C", ADD COLUMN description_by text COLLATE "C";

-- Number of an entry's former versions and the bytes of their values and sources.
CREATE TABLE past (
  entry    uuid PRIMARY KEY,
  versions bigint NOT NULL,
  bytes    bigint NOT NULL
) WITH (fillfactor = 80);
INSERT INTO past SELECT id, count(*), sum(coalesce(length(value), 0) + coalesce(length(source), 0)) FROM history GROUP BY id;

-- Number of rows of table permit by store.
CREATE TABLE permit_count (
  store  text COLLATE "C" PRIMARY KEY,
  grants bigint NOT NULL
) WITH (fillfactor = 80);
INSERT INTO permit_count SELECT store, count(*) FROM permit GROUP BY store;

-- Usage counts the entries that an agent wrote last.
TRUNCATE usage;
ALTER TABLE usage RENAME COLUMN owner TO writer;
INSERT INTO usage (store, label, writer, entries, bytes)
  SELECT store, label, updated_by, count(*), sum(coalesce(length(value), 0))
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
CREATE TEMP TABLE writing ON COMMIT DROP AS
  SELECT id, version, store, namespace, key, owner, updated_by, updated_at, type, description FROM entry
  UNION ALL
  SELECT id, version, store, namespace, key, owner, updated_by, updated_at, type, description FROM history;
CREATE TEMP TABLE shared_entry ON COMMIT DROP AS
  SELECT id FROM writing GROUP BY id HAVING min(updated_by) <> max(updated_by) OR min(updated_by) <> min(owner)
  UNION
  SELECT w.id FROM writing w JOIN
    (SELECT store, namespace, key FROM writing GROUP BY store, namespace, key HAVING min(updated_by) <> max(updated_by)) p
    ON p.store = w.store AND p.namespace = w.namespace AND p.key = w.key;
CREATE TEMP TABLE wrote ON COMMIT DROP AS
  SELECT id, version, owner,
    CASE WHEN type_here <> owner THEN type_here ELSE type_there END AS type_by,
    CASE WHEN description_here <> owner THEN description_here ELSE description_there END AS description_by
  FROM (SELECT id, version, owner,
      first_value(updated_by) OVER (PARTITION BY id, type ORDER BY version) AS type_here,
      first_value(updated_by) OVER (PARTITION BY store, namespace, key, type ORDER BY updated_at, version) AS type_there,
      first_value(updated_by) OVER (PARTITION BY id, description ORDER BY version) AS description_here,
      first_value(updated_by) OVER (PARTITION BY store, namespace, key, description ORDER BY updated_at, version) AS description_there
    FROM writing WHERE id IN (SELECT id FROM shared_entry)) w;
DELETE FROM wrote WHERE type_by = owner AND description_by = owner;
ALTER TABLE wrote ADD PRIMARY KEY (id, version);

UPDATE entry SET type_by = nullif(w.type_by, w.owner), description_by = nullif(w.description_by, w.owner)
  FROM wrote w WHERE w.id = entry.id AND w.version = entry.version;
-- A rename to another store used to leave a deleted entry and begin a new one: the
-- authors of its fields are in the deleted one.
UPDATE entry SET type_by = d.type_by, description_by = d.description_by
  FROM entry d WHERE d.deleted_at = entry.created_at AND d.owner = entry.owner AND d.store <> entry.store
    AND d.description = entry.description AND d.type = entry.type
    AND coalesce(d.type_by, d.description_by) IS NOT NULL AND coalesce(entry.type_by, entry.description_by) IS NULL;
UPDATE history SET type_by = nullif(w.type_by, w.owner), description_by = nullif(w.description_by, w.owner)
  FROM wrote w WHERE w.id = history.id AND w.version = history.version;

-- +goose Down

SET LOCAL mneme.scope = '*';
TRUNCATE usage;
ALTER TABLE usage RENAME COLUMN writer TO owner;
INSERT INTO usage (store, label, owner, entries, bytes)
  SELECT store, label, owner, count(*), sum(coalesce(length(value), 0))
  FROM entry WHERE state = 0 GROUP BY store, label, owner;
DROP TABLE permit_count;
DROP TABLE past;
ALTER TABLE history DROP COLUMN type_by, DROP COLUMN description_by;
ALTER TABLE entry DROP COLUMN type_by, DROP COLUMN description_by;
