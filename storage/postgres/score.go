package postgres

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"mneme/acl"
	"mneme/lexical"
	"mneme/lexical/posting"
	"mneme/memory"
	"mneme/vector"
)

var _ memory.ScoreReader = (*reader)(nil)

// The statements go from the candidates to their rows by primary key, and join the
// scope (see scopeTable). LATERAL and OFFSET 0 force the planner to one probe per
// candidate, whatever its statistics say.
const (
	withinScope = `JOIN scope ON scope.store = e.store AND e.label <= scope.ceiling `
	// $3 are the candidates.
	selectChunkVectors = scopeTable + vectorColumns + `unnest($3::uuid[]) c (id)
	CROSS JOIN LATERAL (SELECT f.store, f.label FROM entry f WHERE f.id = c.id AND f.state = 0 OFFSET 0) e ` + withinScope + `
	CROSS JOIN LATERAL (SELECT x.entry, x.chunk, x.half FROM vector x
		WHERE x.model = (SELECT number FROM model WHERE fingerprint = $4) AND x.entry = c.id OFFSET 0) v`
	selectChunkCodes = scopeTable + `SELECT c.i, v.codes FROM unnest($3::uuid[], $4::integer[]) WITH ORDINALITY c (id, chunk, i)
	CROSS JOIN LATERAL (SELECT f.store, f.label FROM entry f WHERE f.id = c.id AND f.state = 0 OFFSET 0) e ` + withinScope + `
	CROSS JOIN LATERAL (SELECT x.codes FROM vector x
		WHERE x.model = (SELECT number FROM model WHERE fingerprint = $5) AND x.entry = c.id AND x.chunk = c.chunk OFFSET 0) v`
	selectTermCounts = scopeTable + `SELECT c.id, e.length, e.terms FROM unnest($3::uuid[]) c (id)
	CROSS JOIN LATERAL (SELECT f.store, f.label, f.length, f.terms FROM entry f
		WHERE f.id = c.id AND f.state = 0 AND f.length IS NOT NULL OFFSET 0) e ` + withinScope
)

// ChunkVectors implements memory.ScoreReader.
func (r *reader) ChunkVectors(ctx context.Context, scope acl.Scope, fingerprint string, ids []uuid.UUID, yield func(vector.Record) error) error {
	stores := scope.Indexed()
	if len(stores) == 0 || len(ids) == 0 {
		return nil
	}
	r.setRLSScope(stores)
	numbers, ceilings := scopeLists(stores)
	var half vector.Half
	return r.each(ctx, func(rows pgx.Rows) error {
		record, err := scanVector(rows, half)
		if err != nil {
			return err
		}
		half = record.Vector
		return yield(record)
	}, selectChunkVectors, numbers, ceilings, idList(ids), fingerprint)
}

// ChunkCodes implements memory.ScoreReader.
func (r *reader) ChunkCodes(ctx context.Context, scope acl.Scope, fingerprint string, chunks []vector.ChunkID) ([][]byte, error) {
	codes := make([][]byte, len(chunks))
	stores := scope.Indexed()
	if len(stores) == 0 || len(chunks) == 0 {
		return codes, nil
	}
	r.setRLSScope(stores)
	numbers, ceilings := scopeLists(stores)
	ids, ordinals := make([][16]byte, len(chunks)), make([]int32, len(chunks))
	for i, c := range chunks {
		ids[i], ordinals[i] = c.Entry, int32(c.Chunk)
	}
	err := r.each(ctx, func(rows pgx.Rows) error {
		var i int64
		var data []byte
		if err := rows.Scan(&i, &data); err != nil {
			return err
		}
		codes[i-1] = data
		return nil
	}, selectChunkCodes, numbers, ceilings, ids, ordinals, fingerprint)
	return codes, err
}

// TermCounts implements memory.ScoreReader.
func (r *reader) TermCounts(ctx context.Context, scope acl.Scope, terms []lexical.QueryTerm, ids []uuid.UUID) ([]lexical.TermCounts, error) {
	stores := scope.Indexed()
	if len(stores) == 0 || len(ids) == 0 {
		return nil, nil
	}
	r.setRLSScope(stores)
	numbers, ceilings := scopeLists(stores)
	var found []lexical.TermCounts
	counter := posting.NewTermCounter(posting.Aligned, terms)
	err := r.each(ctx, func(rows pgx.Rows) (err error) {
		var c lexical.TermCounts
		var data pgtype.DriverBytes
		if err := rows.Scan((*[16]byte)(&c.Entry), &c.Length, &data); err != nil {
			return err
		}
		c.Counts, err = counter.Count(data)
		found = append(found, c)
		return err
	}, selectTermCounts, numbers, ceilings, idList(ids))
	return found, err
}
