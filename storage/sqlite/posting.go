package sqlite

import (
	"encoding/binary"
	"errors"
	"slices"
)

// posting says that a document holds a term.
type posting struct {
	doc    int64
	count  uint32 // > 0
	length uint32 // of the document, in tokens
}

// A block holds postings in doc order, each as
//
//	uvarint(delta<<1 | more)  delta: from the doc before, of the first from
//	                          the block's key; more: the count is above 1
//	uvarint(count)            only if more
//	uvarint(length)
//
// two to three bytes for most. The key of a block is a lower bound of its
// docs and above all docs of the blocks before it.

// maxBlock bounds a block in bytes, so that a row stays within the part of a
// 4 KiB page that SQLite keeps a row of such a table in (1,002 bytes), with a
// term of the longest kind.
const maxBlock = 880

var errBlock = errors.New("sqlite: a block of postings is damaged")

// appendPosting encodes one posting after the doc before it.
func appendPosting(b []byte, before int64, p posting) []byte {
	delta := uint64(p.doc-before) << 1
	if p.count > 1 {
		b = binary.AppendUvarint(b, delta|1)
		b = binary.AppendUvarint(b, uint64(p.count))
	} else {
		b = binary.AppendUvarint(b, delta)
	}
	return binary.AppendUvarint(b, uint64(p.length))
}

// decodeBlock appends the postings of the block with the key first.
func decodeBlock(to []posting, first int64, block []byte) ([]posting, error) {
	doc := first
	for i := 0; i < len(block); {
		// Most numbers are of one byte.
		delta := uint64(block[i])
		i++
		if delta >= 0x80 {
			var n int
			if delta, n = binary.Uvarint(block[i-1:]); n <= 0 {
				return nil, errBlock
			}
			i += n - 1
		}
		count := uint64(1)
		if delta&1 != 0 {
			var n int
			if count, n = binary.Uvarint(block[i:]); n <= 0 {
				return nil, errBlock
			}
			i += n
		}
		if i >= len(block) {
			return nil, errBlock
		}
		length := uint64(block[i])
		i++
		if length >= 0x80 {
			var n int
			if length, n = binary.Uvarint(block[i-1:]); n <= 0 {
				return nil, errBlock
			}
			i += n - 1
		}
		doc += int64(delta >> 1)
		to = append(to, posting{doc: doc, count: uint32(count), length: uint32(length)})
	}
	return to, nil
}

// block is an encoded block with its key.
type block struct {
	first int64
	bytes []byte
}

// encodeBlocks cuts postings into blocks, the first with the key first.
// Blocks are filled up if the last posting is a new one at the end, as more
// will follow it; else they are cut into equal parts, which leaves each room.
func encodeBlocks(first int64, postings []posting, appended bool) []block {
	most := maxBlock
	if !appended {
		size, before := 0, first
		for _, p := range postings {
			size += len(appendPosting(nil, before, p))
			before = p.doc
		}
		parts := (size + maxBlock - 1) / maxBlock
		most = min(maxBlock, size/max(parts, 1)+16)
	}
	var blocks []block
	var buffer []byte
	current := block{first: first}
	before := first
	for _, p := range postings {
		buffer = appendPosting(buffer[:0], before, p)
		if len(current.bytes) > 0 && len(current.bytes)+len(buffer) > most {
			blocks = append(blocks, current)
			current = block{first: p.doc}
			buffer = appendPosting(buffer[:0], p.doc, p)
		}
		current.bytes = append(current.bytes, buffer...)
		before = p.doc
	}
	if len(current.bytes) > 0 {
		blocks = append(blocks, current)
	}
	return blocks
}

// merge applies changes, sorted by doc and each doc once, to postings in doc
// order. A change with count 0 removes.
func merge(postings, changes []posting) []posting {
	merged := make([]posting, 0, len(postings)+len(changes))
	for len(postings) > 0 || len(changes) > 0 {
		switch {
		case len(changes) == 0 || len(postings) > 0 && postings[0].doc < changes[0].doc:
			merged, postings = append(merged, postings[0]), postings[1:]
			continue
		case len(postings) > 0 && postings[0].doc == changes[0].doc:
			postings = postings[1:]
		}
		if changes[0].count > 0 {
			merged = append(merged, changes[0])
		}
		changes = changes[1:]
	}
	return merged
}

// settle sorts changes by doc and keeps the last of each.
func settle(changes []posting) []posting {
	slices.SortStableFunc(changes, func(a, b posting) int {
		switch {
		case a.doc < b.doc:
			return -1
		case a.doc > b.doc:
			return 1
		}
		return 0
	})
	kept := changes[:0]
	for i, c := range changes {
		if i+1 == len(changes) || changes[i+1].doc != c.doc {
			kept = append(kept, c)
		}
	}
	return kept
}
