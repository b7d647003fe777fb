package postgres

import (
	"encoding/binary"
	"errors"
)

// A block holds the postings of one term, store and label for 256 places:
// those of which place>>8 is the block's number. Each posting is
//
//	byte     place & 255
//	byte     count, 1 to 255
//	uvarint  length of the document in tokens
//
// three bytes for most. Postings stand in no order: a new one is appended to
// what is there, unread. A full block is some 800 bytes and never above 1,800,
// which PostgreSQL keeps in the row.
const blockBits = 8

const blockSize = 1 << blockBits

var errBlock = errors.New("postgres: a block of postings is damaged")

// change is what becomes of one document's posting of a term; count 0 removes
// it.
type change struct {
	slot   uint8
	count  uint8
	length uint32
}

func appendPosting(b []byte, slot, count uint8, length uint32) []byte {
	return binary.AppendUvarint(append(b, slot, count), uint64(length))
}

// decodeBlock calls yield for each posting.
func decodeBlock(b []byte, yield func(slot, count uint8, length uint32)) error {
	for len(b) > 0 {
		if len(b) < 3 {
			return errBlock
		}
		slot, count, length := b[0], b[1], uint64(b[2])
		size := 3
		if length >= 0x80 {
			var n int
			if length, n = binary.Uvarint(b[2:]); n <= 0 {
				return errBlock
			}
			size = 2 + n
		}
		yield(slot, count, uint32(length))
		b = b[size:]
	}
	return nil
}

// rewrite applies changes to a block, the later of two for one slot counting,
// and orders it by slot.
func rewrite(block []byte, changes []change) ([]byte, error) {
	var postings [blockSize]change
	err := decodeBlock(block, func(slot, count uint8, length uint32) {
		postings[slot] = change{slot, count, length}
	})
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		postings[c.slot] = c
	}
	var out []byte
	for _, p := range postings {
		if p.count > 0 {
			out = appendPosting(out, p.slot, p.count, p.length)
		}
	}
	return out, nil
}

// additions is the block that changes make by themselves, if none of them
// removes anything: it can be appended to what is there.
func additions(changes []change) ([]byte, bool) {
	var out []byte
	for _, c := range changes {
		if c.count == 0 {
			return nil, false
		}
		out = appendPosting(out, c.slot, c.count, c.length)
	}
	return out, true
}
