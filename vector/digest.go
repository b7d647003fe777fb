package vector

import (
	"encoding/binary"
	"hash/fnv"
)

// Digest is a hash of what an index holds of a record besides the entry's ID: chunk, store,
// label and vector. Indexes store it, so it must stay the same in all processes and versions.
func (r Record) Digest() uint64 {
	var head [17]byte // chunk and store are not negative
	binary.LittleEndian.PutUint64(head[:], uint64(r.Chunk))
	binary.LittleEndian.PutUint64(head[8:], uint64(r.Store))
	head[16] = byte(r.Label)
	hash := fnv.New64a()
	_, _ = hash.Write(head[:]) // a hash never fails
	_, _ = hash.Write(r.Vector.Bytes())
	return hash.Sum64()
}
