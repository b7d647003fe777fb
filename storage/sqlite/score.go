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

// The statements go from the candidates to their rows, and join the scope (see
// scopeTable) before anything else is read of them.
const (
	withinScope        = ` CROSS JOIN scope ON scope.store = e.store AND e.label <= scope.ceiling AND e.state = 0 `
	selectChunkVectors = scopeTable + vectorColumns + `json_each(?2) j CROSS JOIN entry e ON e.id = unhex(j.value)` + withinScope + `
	CROSS JOIN vector v ON v.doc = e.doc AND v.model = (SELECT number FROM model WHERE fingerprint = ?3)`
	selectChunkCodes = scopeTable + `SELECT j.key, v.codes FROM json_each(?2) j CROSS JOIN entry e ON e.id = unhex(j.value ->> 0)` + withinScope + `
	CROSS JOIN vector v ON v.doc = e.doc AND v.model = (SELECT number FROM model WHERE fingerprint = ?3) AND v.chunk = j.value ->> 1`
	selectTermCounts = scopeTable + `SELECT e.id, d.length, d.terms FROM json_each(?2) j CROSS JOIN entry e ON e.id = unhex(j.value)` + withinScope + `
	CROSS JOIN document d ON d.doc = e.doc`
)

// ChunkVectors implements memory.ScoreReader.
func (r *reader) ChunkVectors(ctx context.Context, scope acl.Scope, fingerprint string, ids []uuid.UUID, yield func(vector.Record) error) error {
	stores := scope.Indexed()
	if len(stores) == 0 || len(ids) == 0 {
		return nil
	}
	var half vector.Half
	return r.each(ctx, func(rows *sql.Rows) error {
		record, err := scanVector(rows, half)
		if err != nil {
			return err
		}
		half = record.Vector
		return yield(record)
	}, selectChunkVectors, scopeList(stores), idList(ids), fingerprint)
}

// ChunkCodes implements memory.ScoreReader.
func (r *reader) ChunkCodes(ctx context.Context, scope acl.Scope, fingerprint string, chunks []vector.ChunkID) ([][]byte, error) {
	codes := make([][]byte, len(chunks))
	stores := scope.Indexed()
	if len(stores) == 0 || len(chunks) == 0 {
		return codes, nil
	}
	list, err := chunkList(chunks)
	if err != nil {
		return nil, err
	}
	err = r.each(ctx, func(rows *sql.Rows) error {
		var i int
		var data []byte
		if err := rows.Scan(&i, &data); err != nil {
			return err
		}
		codes[i] = data
		return nil
	}, selectChunkCodes, scopeList(stores), list, fingerprint)
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
	stores := scope.Indexed()
	if len(stores) == 0 || len(ids) == 0 {
		return nil, nil
	}
	var found []lexical.TermCounts
	counter := posting.NewTermCounter(posting.Packed, terms)
	var data sql.RawBytes
	err := r.each(ctx, func(rows *sql.Rows) (err error) {
		var c lexical.TermCounts
		if err := rows.Scan((*idColumn)(&c.Entry), &c.Length, &data); err != nil {
			return err
		}
		c.Counts, err = counter.Count(data)
		found = append(found, c)
		return err
	}, selectTermCounts, scopeList(stores), idList(ids))
	return found, err
}
