package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"

	"mneme/acl"
	"mneme/lexical"
	"mneme/lexical/posting"
	"mneme/memory"
	"mneme/vector"
)

// Evidence implements memory.ScoreReader.
func (r *reader) Evidence(ctx context.Context, scope acl.Scope, q memory.EvidenceQuery, yield func(memory.Evidence) error) error {
	within := ceilingsOf(scope)
	if len(within) == 0 || len(q.Entries) == 0 {
		return nil
	}
	var hashed []lexical.HashedTerm
	var store int64
	var label acl.Label
	var length sql.NullInt64
	var terms, half, codes sql.RawBytes
	var e memory.Evidence
	dest := []any{&store, &label, (*idColumn)(&e.Entry), &length, &terms, &e.Chunk, &half, &codes, &e.Model}
	return r.each(ctx, func(rows *sql.Rows) (err error) {
		if err := rows.Scan(dest...); err != nil || !within.contain(store, label) {
			return err
		}
		if e.Terms, e.Length = nil, int(length.Int64); length.Valid {
			if hashed, err = posting.AppendHashed(hashed[:0], posting.Packed, terms); err != nil {
				return err
			}
			e.Terms = hashed
		}
		if e.Vector, err = vector.AppendHalf(e.Vector[:0], half); err != nil {
			return err
		}
		e.Codes = codes
		return yield(e)
	}, "entry.evidence", idList(q.Entries), q.Fingerprints[0], q.Fingerprints[1], q.VectorsOnly)
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
	}, "vector.codes", list, fingerprint)
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
