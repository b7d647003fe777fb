package posting

import (
	"crypto/sha256"
	"encoding/binary"

	"mneme/lexical"
)

// Aligned is a layout whose blocks can be appended to without reading them, for a storage
// behind a network. A block holds the postings of AlignedDocs consecutive docIDs, and its
// Start is a multiple of AlignedDocs. Each posting is
//
//	byte     docID - Start
//	byte     count, 1 to 255
//	uvarint  length of the document in tokens
//
// Most take three bytes. Postings are in no order, since new ones are appended.
// A full block has about 800 bytes and at most 1,800. DocIDs should be dense
// within a store, otherwise blocks hold few postings.
//
// Terms of a forward document are stored as the length of the term's key in
// bytes (one byte), the key, and the count (one byte).
var Aligned Layout = aligned{}

const alignedBits = 8

// AlignedDocs is the number of docIDs that a block spans.
const AlignedDocs = 1 << alignedBits

// AlignedNumber returns the number of the block that contains doc.
func AlignedNumber(doc int64) int32 { return int32(doc >> alignedBits) }

// AlignedStart returns the Start of the block with this number.
func AlignedStart(number int32) int64 { return int64(number) << alignedBits }

type aligned struct{}

// TermKey returns a term of up to lexical.MaxTermBytes unchanged. A longer one,
// which analysis does not produce and PostgreSQL cannot index, becomes its
// digest after a byte that is never part of UTF-8.
func (aligned) TermKey(term string) string {
	if len(term) <= lexical.MaxTermBytes {
		return term
	}
	digest := sha256.Sum256([]byte(term))
	return "\xff" + string(digest[:])
}

// EncodeTerms caps counts at lexical.MaxTermCount, which fits into a byte.
func (a aligned) EncodeTerms(terms []lexical.Term) []byte {
	data := make([]byte, 0, 10*len(terms))
	for _, t := range terms {
		key := a.TermKey(t.Text)
		data = append(data, byte(len(key)))
		data = append(data, key...)
		data = append(data, byte(min(t.Count, lexical.MaxTermCount)))
	}
	return data
}

func (aligned) DecodeTerms(data []byte, yield func(key []byte, count uint32)) error {
	for len(data) > 0 {
		size := int(data[0])
		if len(data) < size+2 {
			return ErrTerms
		}
		yield(data[1:1+size], uint32(data[1+size]))
		data = data[size+2:]
	}
	return nil
}

func (aligned) DecodeBlock(dst []Posting, start int64, data []byte) ([]Posting, error) {
	for len(data) > 0 {
		if len(data) < 3 {
			return nil, ErrBlock
		}
		offset, count, length := data[0], data[1], uint64(data[2])
		size := 3
		if length >= 0x80 {
			var n int
			if length, n = binary.Uvarint(data[2:]); n <= 0 {
				return nil, ErrBlock
			}
			size = 2 + n
		}
		dst = append(dst, Posting{Doc: start + int64(offset), Count: uint32(count), Length: uint32(length)})
		data = data[size:]
	}
	return dst, nil
}

func appendAligned(data []byte, p Posting) []byte {
	return binary.AppendUvarint(append(data, byte(p.Doc&(AlignedDocs-1)), byte(p.Count)), uint64(p.Length))
}

// rewriteAligned applies changes to a block and returns its data, sorted by
// docID. The last change of a docID wins.
func rewriteAligned(block Block, changes []Posting) ([]byte, error) {
	old, err := Aligned.DecodeBlock(nil, block.Start, block.Data)
	if err != nil {
		return nil, err
	}
	var postings [AlignedDocs]Posting
	for _, p := range old {
		postings[p.Doc&(AlignedDocs-1)] = p
	}
	for _, c := range changes {
		postings[c.Doc&(AlignedDocs-1)] = c
	}
	var data []byte
	for _, p := range postings {
		if p.Count > 0 {
			data = appendAligned(data, p)
		}
	}
	return data, nil
}

// encodeAppend encodes changes to be appended to a block. It returns false if a
// change removes a posting.
func encodeAppend(changes []Posting) (data []byte, ok bool) {
	for _, c := range changes {
		if c.Count == 0 {
			return nil, false
		}
		data = appendAligned(data, c)
	}
	return data, true
}
