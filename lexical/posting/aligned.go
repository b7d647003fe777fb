package posting

import (
	"crypto/sha256"
	"encoding/binary"

	"mneme/lexical"
)

// Aligned is a layout of blocks that grow without being read, for a storage
// behind a network. A block holds the postings of AlignedDocs consecutive
// docIDs: Start is a multiple of AlignedDocs. Each posting is
//
//	byte     docID - Start
//	byte     count, 1 to 255
//	uvarint  length of the document in tokens
//
// three bytes for most. Postings are in no order: a new one is appended. A
// full block has some 800 bytes and never more than 1,800. DocIDs have to be
// dense within a store, or blocks hold one posting each.
//
// Terms of a forward document are stored as the length of their key in bytes,
// the key, and the count in a byte.
var Aligned Layout = aligned{}

const alignedBits = 8

// AlignedDocs is how many docIDs a block spans.
const AlignedDocs = 1 << alignedBits

// AlignedNumber numbers the blocks of a list by their Start.
func AlignedNumber(start int64) int32 { return int32(start >> alignedBits) }

// AlignedStart is the inverse of AlignedNumber.
func AlignedStart(number int32) int64 { return int64(number) << alignedBits }

type aligned struct{}

// TermKey returns terms of up to lexical.MaxTermBytes as they are. A longer
// one, which the analysis does not produce and no index of PostgreSQL holds,
// becomes a digest behind a byte that starts no UTF-8 text.
func (aligned) TermKey(term string) string {
	if len(term) <= lexical.MaxTermBytes {
		return term
	}
	digest := sha256.Sum256([]byte(term))
	return "\xff" + string(digest[:])
}

// EncodeTerms keeps counts up to lexical.MaxTermCount, which fits a byte.
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

func (aligned) DecodeTerms(data []byte, yield func(term string, count uint32)) error {
	for len(data) > 0 {
		size := int(data[0])
		if len(data) < size+2 {
			return ErrTerms
		}
		yield(string(data[1:1+size]), uint32(data[1+size]))
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

// rewriteAligned applies changes to a block and sorts it. The later of two
// changes of one docID wins.
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

// additions encodes changes to be appended to a block, if none of them
// removes anything.
func additions(changes []Posting) (data []byte, ok bool) {
	for _, c := range changes {
		if c.Count == 0 {
			return nil, false
		}
		data = appendAligned(data, c)
	}
	return data, true
}
