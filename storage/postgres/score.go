package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"mneme/acl"
	"mneme/lexical"
	"mneme/lexical/posting"
	"mneme/memory"
	"mneme/vector"
)

// The statements go from the candidates to their rows by primary key. LATERAL and
// OFFSET 0 force the planner to one probe per candidate, whatever its statistics say.
var (
	// $3 are the candidates. Length, terms and codes come with the first chunk alone, and
	// if $6 not at all.
	selectEvidence = byScope(`SELECT c.id,
		CASE WHEN coalesce(v.chunk, 0) = 0 AND NOT $6 THEN e.length END, CASE WHEN coalesce(v.chunk, 0) = 0 AND NOT $6 THEN e.terms END,
		coalesce(v.chunk, 0), v.half, CASE WHEN v.chunk = 0 AND NOT $6 THEN v.codes END, coalesce(v.model = (SELECT number FROM model WHERE fingerprint = $5), FALSE)::int
	FROM unnest($3::uuid[]) c (id)
	CROSS JOIN LATERAL (SELECT f.store, f.length, f.terms FROM entry f
		WHERE f.id = c.id AND f.` + isLive + ` AND ` + withinScope + ` OFFSET 0) e
	LEFT JOIN LATERAL (SELECT x.model, x.chunk, x.half, x.codes FROM vector x
		WHERE x.model = ANY (ARRAY(SELECT number FROM model WHERE fingerprint IN ($4, $5))) AND x.entry = c.id AND x.store = e.store OFFSET 0) v ON true`)
	selectChunkCodes = byScope(`SELECT c.i, v.codes FROM unnest($3::uuid[], $4::integer[]) WITH ORDINALITY c (id, chunk, i)
	CROSS JOIN LATERAL (SELECT f.store FROM entry f WHERE f.id = c.id AND f.` + isLive + ` AND ` + withinScope + ` OFFSET 0) e
	CROSS JOIN LATERAL (SELECT x.codes FROM vector x
		WHERE x.model = (SELECT number FROM model WHERE fingerprint = $5) AND x.entry = c.id AND x.chunk = c.chunk AND x.store = e.store OFFSET 0) v`)
)

// Evidence implements memory.ScoreReader.
func (r *reader) Evidence(ctx context.Context, scope acl.Scope, q memory.EvidenceQuery, yield func(memory.Evidence) error) error {
	stores := scope.Indexed()
	if len(stores) == 0 || len(q.Entries) == 0 {
		return nil
	}
	r.setRLSScope(stores)
	numbers, ceilings := scopeLists(stores)
	counter := posting.NewTermCounter(posting.Aligned, q.Terms)
	var terms, half, codes pgtype.DriverBytes
	var e memory.Evidence
	var length pgtype.Int4
	dest := []any{(*[16]byte)(&e.Entry), &length, &terms, &e.Chunk, &half, &codes, &e.Model}
	return r.each(ctx, func(rows pgx.Rows) (err error) {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		if e.Counts, e.Terms, e.Length = nil, nil, int(length.Int32); length.Valid {
			e.Terms = terms
			if e.Counts, err = counter.Count(nil, terms); err != nil {
				return err
			}
		}
		if e.Vector, err = vector.AppendHalf(e.Vector[:0], half); err != nil {
			return err
		}
		e.Codes = codes
		return yield(e)
	}, selectEvidence.in(stores), numbers, ceilings, idList(q.Entries), q.Fingerprints[0], q.Fingerprints[1], q.VectorsOnly)
}

// TermCounter implements memory.ScoreReader.
func (*reader) TermCounter(query []lexical.QueryTerm) memory.TermCounter {
	return posting.NewTermCounter(posting.Aligned, query)
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
	}, selectChunkCodes.in(stores), numbers, ceilings, ids, ordinals, fingerprint)
	return codes, err
}
