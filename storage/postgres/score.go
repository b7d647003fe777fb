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

var (
	selectEvidence   = scoped{"entry.evidence_in_one", "entry.evidence"}
	selectChunkCodes = scoped{"vector.codes_in_one", "vector.codes"}
)

// Evidence implements memory.ScoreReader.
func (r *reader) Evidence(ctx context.Context, scope acl.Scope, q memory.EvidenceQuery, yield func(memory.Evidence) error) error {
	stores := scope.Indexed()
	if len(stores) == 0 || len(q.Entries) == 0 {
		return nil
	}
	r.setRLSScope(stores)
	numbers, ceilings := scopeLists(stores)
	var hashed []lexical.HashedTerm
	var terms, half, codes pgtype.DriverBytes
	var e memory.Evidence
	var length pgtype.Int4
	dest := []any{(*[16]byte)(&e.Entry), &length, &terms, &e.Chunk, &half, &codes, &e.Model}
	return r.each(ctx, func(rows pgx.Rows) (err error) {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		if e.Terms, e.Length = nil, int(length.Int32); length.Valid {
			if hashed, err = posting.AppendHashed(hashed[:0], posting.Aligned, terms); err != nil {
				return err
			}
			e.Terms = hashed
		}
		if e.Vector, err = vector.AppendHalf(e.Vector[:0], half); err != nil {
			return err
		}
		e.Codes = codes
		return yield(e)
	}, selectEvidence.in(stores), numbers, ceilings, idList(q.Entries), q.Fingerprints[0], q.Fingerprints[1], q.VectorsOnly)
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
