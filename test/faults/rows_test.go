//go:build unix

package faults

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"
)

// fault is a query that counts inconsistent rows, with a description of these rows.
type fault struct{ what, query string }

// sqliteFaults and postgresFaults express the same rules in both dialects. They
// run when the queue is empty, while the servers run.
var sqliteFaults = []fault{
	{"versions without their history",
		`SELECT count(*) FROM entry e LEFT JOIN (SELECT doc, count(*) n, min(version) first, max(version) last FROM history GROUP BY doc) h ON h.doc = e.doc
		WHERE e.version <> coalesce(h.last, 0) + 1 OR h.n <> h.last - h.first + 1`},
	{"rows with dangling references", `SELECT count(*) FROM pragma_foreign_key_check`},
	{"tags of entries that do not have them",
		`SELECT count(*) FROM tag t LEFT JOIN entry e ON e.doc = t.doc
		WHERE e.doc IS NULL OR e.state <> 0 OR e.store <> t.store OR e.label <> t.label OR t.tag NOT IN (SELECT value FROM json_each(e.tags))`},
	{"tags that are missing",
		`SELECT count(*) FROM entry e, json_each(e.tags) j WHERE e.state = 0 AND e.in_context AND NOT e.encrypted
		AND NOT EXISTS (SELECT 1 FROM tag t WHERE t.doc = e.doc AND t.tag = j.value)`},
	{"live entries without terms, or terms without a live entry",
		`SELECT count(*) FROM (SELECT doc, store, label FROM entry WHERE state = 0 AND in_context AND NOT encrypted) e
		FULL JOIN document d ON d.doc = e.doc AND d.store = e.store AND d.label = e.label WHERE d.doc IS NULL OR e.doc IS NULL`},
	{"totals that differ from the sums of the documents",
		`SELECT count(*) FROM (SELECT store, label, count(*) n, sum(length) length FROM document GROUP BY store, label) d
		FULL JOIN total t ON t.store = d.store AND t.label = d.label
		WHERE coalesce(t.documents, 0) <> coalesce(d.n, 0) OR coalesce(t.length, 0) <> coalesce(d.length, 0)`},
	{"usage that differs from a recount",
		`SELECT count(*) FROM (SELECT store, label, updated_by, count(*) n, sum(coalesce(length(value), 0)) bytes FROM entry WHERE state = 0 GROUP BY store, label, updated_by) e
		FULL JOIN usage u ON u.store = e.store AND u.label = e.label AND u.writer = e.updated_by
		WHERE coalesce(u.entries, 0) <> coalesce(e.n, 0) OR coalesce(u.bytes, 0) <> coalesce(e.bytes, 0)`},
	{"sizes of histories that differ from a recount",
		`SELECT count(*) FROM (SELECT doc, count(*) n, sum(coalesce(length(value), 0) + coalesce(length(source), 0)) bytes FROM history GROUP BY doc) h
		FULL JOIN past p ON p.doc = h.doc WHERE coalesce(p.versions, 0) <> coalesce(h.n, 0) OR coalesce(p.bytes, 0) <> coalesce(h.bytes, 0)`},
	{"numbers of grants that differ from a recount",
		`SELECT count(*) FROM (SELECT store, label, count(*) n FROM permit GROUP BY store, label) g FULL JOIN permit_count p ON p.store = g.store AND p.label = g.label
		WHERE coalesce(p.grants, 0) <> coalesce(g.n, 0)`},
	{"live entries without a vector of their current text",
		`SELECT count(*) FROM entry e WHERE state = 0 AND in_context AND NOT encrypted AND (expires_at IS NULL OR expires_at > ?1)
		AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.doc = e.doc AND v.revision = e.revision)`},
	{"vectors of entries that are not live, or of an older text",
		`SELECT count(*) FROM vector v LEFT JOIN entry e ON e.doc = v.doc WHERE e.doc IS NULL OR e.state <> 0 OR v.revision <> e.revision`},
	{"gaps among the changes that indexes follow",
		`SELECT count(*) FROM change WHERE position > (SELECT min(position) FROM change) AND position - 1 NOT IN (SELECT position FROM change)`},
	{"idempotency records of entries that do not exist",
		`SELECT count(*) FROM replay_entry r WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.id = r.entry)`},
	{"damaged pages", `SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'`},
}

var postgresFaults = []fault{
	{"versions without their history",
		`SELECT count(*) FROM entry e LEFT JOIN (SELECT id, count(*) n, min(version) first, max(version) last FROM history GROUP BY id) h ON h.id = e.id
		WHERE e.version <> coalesce(h.last, 0) + 1 OR h.n <> h.last - h.first + 1`},
	{"rows with dangling references",
		`SELECT count(*) FROM (SELECT id FROM history UNION ALL SELECT entry FROM tag UNION ALL SELECT entry FROM vector UNION ALL SELECT entry FROM queue) r
		WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.id = r.id)`},
	{"tags of entries that do not have them",
		`SELECT count(*) FROM tag t LEFT JOIN entry e ON e.id = t.entry
		WHERE e.id IS NULL OR e.state <> 0 OR e.store <> t.store OR e.label <> t.label OR NOT t.tag = ANY (e.tags)`},
	{"tags that are missing",
		`SELECT count(*) FROM entry e, unnest(e.tags) name WHERE e.state = 0 AND e.in_context AND NOT e.encrypted
		AND NOT EXISTS (SELECT 1 FROM tag t WHERE t.entry = e.id AND t.tag = name)`},
	{"live entries without terms, or terms without a live entry",
		`SELECT count(*) FROM entry WHERE (state = 0 AND in_context AND NOT encrypted) <> (terms IS NOT NULL) OR (length IS NULL) <> (terms IS NULL)`},
	{"totals that differ from the sums of the documents",
		`SELECT count(*) FROM (SELECT store, label, count(*) n, sum(length) length FROM entry WHERE terms IS NOT NULL GROUP BY store, label) d
		FULL JOIN total t ON t.store = d.store AND t.label = d.label
		WHERE coalesce(t.documents, 0) <> coalesce(d.n, 0) OR coalesce(t.length, 0) <> coalesce(d.length, 0)`},
	{"usage that differs from a recount",
		`SELECT count(*) FROM (SELECT store, label, updated_by, count(*) n, sum(coalesce(length(value), 0)) bytes FROM entry WHERE state = 0 GROUP BY store, label, updated_by) e
		FULL JOIN usage u ON u.store = e.store AND u.label = e.label AND u.writer = e.updated_by
		WHERE coalesce(u.entries, 0) <> coalesce(e.n, 0) OR coalesce(u.bytes, 0) <> coalesce(e.bytes, 0)`},
	{"sizes of histories that differ from a recount",
		`SELECT count(*) FROM (SELECT id, count(*) n, sum(coalesce(length(value), 0) + coalesce(length(source), 0)) bytes FROM history GROUP BY id) h
		FULL JOIN past p ON p.entry = h.id WHERE coalesce(p.versions, 0) <> coalesce(h.n, 0) OR coalesce(p.bytes, 0) <> coalesce(h.bytes, 0)`},
	{"numbers of grants that differ from a recount",
		`SELECT count(*) FROM (SELECT store, label, count(*) n FROM permit GROUP BY store, label) g FULL JOIN permit_count p ON p.store = g.store AND p.label = g.label
		WHERE coalesce(p.grants, 0) <> coalesce(g.n, 0)`},
	{"live entries without a vector of their current text",
		`SELECT count(*) FROM entry e WHERE state = 0 AND in_context AND NOT encrypted AND (expires_at IS NULL OR expires_at > to_timestamp($1::bigint / 1e6))
		AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.entry = e.id AND v.revision = e.revision)`},
	{"vectors of entries that are not live, or of an older text",
		`SELECT count(*) FROM vector v LEFT JOIN entry e ON e.id = v.entry WHERE e.id IS NULL OR e.state <> 0 OR v.revision <> e.revision`},
	{"gaps among the changes that indexes follow",
		`SELECT count(*) FROM (SELECT position - lag(position) OVER (ORDER BY position) step FROM change) c WHERE step > 1`},
	{"idempotency records of entries that do not exist",
		`SELECT count(*) FROM replay r, unnest(r.ids) one WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.id = one)`},
}

// endLeases ends the leases of killed workers, which otherwise expire after ten seconds: it
// sets the end of each lease in the queue to the past.
var endLeases = map[string]string{
	"sqlite":   "UPDATE queue SET not_before = 1 WHERE not_before > 1 AND attempts = 0",
	"postgres": "UPDATE queue SET not_before = to_timestamp(1) WHERE not_before > to_timestamp(1) AND attempts = 0",
}

// awaitEmptyQueue waits until all entries have their vectors. In four of five cases, it
// does not wait for the leases of the killed process to expire.
func (r *trial) awaitEmptyQueue() {
	if r.rng.IntN(5) > 0 {
		db, err := r.open()
		if err != nil {
			r.t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.ExecContext(r.t.Context(), endLeases[r.storage]); err != nil {
			r.t.Fatal(err)
		}
	} else {
		r.stats.add("kills: leases waited out", 1)
	}
	for _, s := range r.servers {
		if err := poll(r.t.Context(), func() error { return queueIsEmpty(s.Address) }); err != nil {
			r.violation("the queue does not become empty: %v", err)
		}
	}
}

// queueIsEmpty returns nil if the process at an address is ready and no entry waits
// for vectors.
func queueIsEmpty(address string) error {
	now, err := ready(address)
	switch {
	case err != nil:
		return err
	case !now.Vector:
		return errors.New("the vector index is down")
	case now.QueueDepth == nil:
		return errors.New("the queue could not be counted")
	case *now.QueueDepth > 0:
		return fmt.Errorf("%d entries are still queued", *now.QueueDepth)
	}
	return nil
}

// checkRows runs the queries for faults, and compares the index with the rows.
func (r *trial) checkRows() {
	db, err := r.open()
	if err != nil {
		r.t.Fatal(err)
	}
	defer db.Close()
	faults := sqliteFaults
	if r.storage == "postgres" {
		faults = postgresFaults
	}
	for _, f := range faults {
		// Sweeps and expiries continue, so only a contradiction that persists is a fault.
		err := poll(r.t.Context(), func() error {
			n, err := r.contradictions(db, f)
			if err == nil && n > 0 {
				err = fmt.Errorf("%d %s", n, f.what)
			}
			return err
		})
		if err != nil {
			r.violation("rows: %v", err)
		}
	}
	if r.vector == "milvus" {
		// Reconciliations after the start remove vectors that a killed process
		// left in Milvus. The second follows half a minute after the first.
		if err := poll(r.t.Context(), func() error { return r.compareIndex(db) }); err != nil {
			r.violation("milvus: %v", err)
		}
	}
}

func (r *trial) contradictions(db *sql.DB, f fault) (int64, error) {
	if usesTime.MatchString(f.query) {
		return number(r.t.Context(), db, f.query, time.Now().UnixMicro())
	}
	return number(r.t.Context(), db, f.query)
}

// compareIndex compares the entries in Milvus, read directly, with the entries that
// have vectors in the database.
func (r *trial) compareIndex(db *sql.DB) error {
	indexed, err := listMilvus(r.t.Context(), r.servers[0].Address, r.prefix, r.dim())
	if err != nil {
		return err
	}
	rows, err := db.QueryContext(r.t.Context(), "SELECT DISTINCT entry::text FROM vector")
	if err != nil {
		return err
	}
	defer rows.Close()
	want := make(map[string]bool)
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return err
		}
		want[id] = true
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if !maps.Equal(indexed, want) {
		return fmt.Errorf("%d entries are in the index, %d have vectors", len(indexed), len(want))
	}
	return nil
}

// dim returns the length of the vectors.
func (r *trial) dim() int {
	if r.realModel {
		return dim
	}
	return fakeDim
}

// checkVectors compares the hits of the vector leg with the candidates. Indexes
// follow the rows within moments. A loaded Milvus may answer late, and the answer then
// reports that the search is degraded. Until the second reconciliation after the start,
// Milvus may have the vector of an older text that a killed process wrote late.
func (c *client) checkVectors() {
	err := poll(c.t.Context(), func() error {
		views, err := c.views(true)
		if err == nil {
			_, err = c.candidates.See(views, c.purges.all())
		}
		return err
	})
	if err != nil {
		c.violation("%s, with an empty queue: %v", c.name, err)
	}
	if c.taint == "PUBLIC" {
		return
	}
	for _, path := range c.paths() {
		r := c.caller(c.to, c.agent, "PUBLIC").call(http.MethodGet, "/v1/stores/"+path.Store+"/memories/"+path.Key, nil)
		if r.status != http.StatusNotFound {
			c.violation("%s: a session of a lower label reads %v: %v", c.name, path, r)
		}
	}
}
