package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/lexical/posting"
	"mneme/memory"
	"mneme/vector"
)

var _ memory.ScoreReader = (*reader)(nil)

// The statements go from the candidates to their rows. Each returns store and
// label, by which rows outside the scope are left out.
const (
	selectChunkVectors = vectorColumns + `json_each(?1) j CROSS JOIN entry e ON e.id = unhex(j.value) AND e.state = 0
	CROSS JOIN vector v ON v.doc = e.doc AND v.model = (SELECT number FROM model WHERE fingerprint = ?2)`
	selectChunkCodes = `SELECT e.store, e.label, j.key, v.codes FROM json_each(?1) j CROSS JOIN entry e ON e.id = unhex(j.value ->> 0) AND e.state = 0
	CROSS JOIN vector v ON v.doc = e.doc AND v.model = (SELECT number FROM model WHERE fingerprint = ?2) AND v.chunk = j.value ->> 1`
	selectTermCounts = `SELECT e.store, e.label, e.id, d.length, d.terms FROM json_each(?1) j CROSS JOIN entry e ON e.id = unhex(j.value) AND e.state = 0
	CROSS JOIN document d ON d.doc = e.doc`
)

// ChunkVectors implements memory.ScoreReader.
func (r *reader) ChunkVectors(ctx context.Context, scope acl.Scope, fingerprint string, ids []uuid.UUID, yield func(vector.Record) error) error {
	within := ceilingsOf(scope)
	if len(within) == 0 || len(ids) == 0 {
		return nil
	}
	var half vector.Half
	return r.each(ctx, func(rows *sql.Rows) error {
		record, err := scanVector(rows, half)
		if err != nil {
			return err
		}
		half = record.Vector
		if !within.contain(record.Store, record.Label) {
			return nil
		}
		return yield(record)
	}, selectChunkVectors, idList(ids), fingerprint)
}

// ChunkCodes implements memory.ScoreReader.
func (r *reader) ChunkCodes(ctx context.Context, scope acl.Scope, fingerprint string, chunks []vector.ChunkID) ([][]byte, error) {
	codes := make([][]byte, len(chunks))
	within := ceilingsOf(scope)
	if len(within) == 0 || len(chunks) == 0 {
		return codes, nil
	}
	list, err := chunkList(chunks)
	if err != nil {
		return nil, err
	}
	err = r.each(ctx, func(rows *sql.Rows) error {
		var store int64
		var label acl.Label
		var i int
		var data []byte
		if err := rows.Scan(&store, &label, &i, &data); err != nil {
			return err
		}
		if within.contain(store, label) {
			codes[i] = data
		}
		return nil
	}, selectChunkCodes, list, fingerprint)
	return codes, err
}

// chunkList returns a JSON array of chunks: [[ID in hexadecimal, chunk], …].
func chunkList(chunks []vector.ChunkID) (string, error) {
	list := make([][2]any, len(chunks))
	for i, c := range chunks {
		list[i] = [2]any{hex.EncodeToString(c.Entry[:]), c.Chunk}
	}
	b, err := json.Marshal(list)
	return string(b), err
}

// TermCounts implements memory.ScoreReader.
func (r *reader) TermCounts(ctx context.Context, scope acl.Scope, terms []lexical.QueryTerm, ids []uuid.UUID) ([]lexical.TermCounts, error) {
	within := ceilingsOf(scope)
	if len(within) == 0 || len(ids) == 0 {
		return nil, nil
	}
	var found []lexical.TermCounts
	counter := posting.NewTermCounter(posting.Packed, terms)
	var data sql.RawBytes
	err := r.each(ctx, func(rows *sql.Rows) (err error) {
		var store int64
		var label acl.Label
		var c lexical.TermCounts
		if err := rows.Scan(&store, &label, (*idColumn)(&c.Entry), &c.Length, &data); err != nil {
			return err
		}
		if !within.contain(store, label) {
			return nil
		}
		c.Counts, err = counter.Count(data)
		found = append(found, c)
		return err
	}, selectTermCounts, idList(ids))
	return found, err
}
