package posting

import (
	"encoding/binary"
	"math"

	"mneme/lexical"
)

// Packed is a layout of few, full blocks, for an in-process storage. A block holds as many
// postings as fit into PackedBytes, in docID order. Each posting is
//
//	uvarint(delta<<1 | more)  delta: difference from the previous docID, for
//	                          the first posting from the block's Start;
//	                          more: 1 if the count is greater than 1
//	uvarint(count)            only if more is 1
//	uvarint(length)           length of the document in tokens
//
// Most take two or three bytes. To add a posting, its block is rewritten.
//
// Terms of a forward document are front-coded: each is the length of the prefix
// that it shares with the previous term, the length of the remaining suffix, the
// suffix, and the count. Numbers are uvarints.
var Packed Layout = packed{}

// PackedBytes is the maximum size of a block in bytes. With a term of
// lexical.MaxTermBytes, its row fits into the 1,002 bytes that SQLite stores of
// such a row on a 4 KiB page without overflow pages.
const PackedBytes = 880

type packed struct{}

func (packed) TermKey(term string) string { return term }

func (packed) EncodeTerms(terms []lexical.Term) []byte {
	data := []byte{}
	previous := ""
	for _, t := range terms {
		shared := 0
		for shared < len(previous) && shared < len(t.Text) && previous[shared] == t.Text[shared] {
			shared++
		}
		data = binary.AppendUvarint(data, uint64(shared))
		data = binary.AppendUvarint(data, uint64(len(t.Text)-shared))
		data = append(data, t.Text[shared:]...)
		data = binary.AppendUvarint(data, uint64(t.Count))
		previous = t.Text
	}
	return data
}

func (packed) DecodeTerms(data []byte, yield func(key []byte, count uint32)) error {
	var buffer [64]byte // few terms are longer
	term := buffer[:0]
	for at := 0; at < len(data); {
		shared, from := uvarintAt(data, at)
		if from < 0 || shared > uint64(len(term)) {
			return ErrTerms
		}
		size, from := uvarintAt(data, from)
		if from < 0 || size > uint64(len(data)-from) {
			return ErrTerms
		}
		end := from + int(size)
		count, next := uvarintAt(data, end)
		if next < 0 {
			return ErrTerms
		}
		term = append(term[:shared], data[from:end]...)
		yield(term, uint32(count))
		at = next
	}
	return nil
}

// uvarintAt returns the number at an offset and the offset after it; -1: there is none.
func uvarintAt(data []byte, at int) (v uint64, next int) {
	if at < len(data) && data[at] < 0x80 { // like most numbers
		return uint64(data[at]), at + 1
	}
	v, n := binary.Uvarint(data[at:])
	if n <= 0 {
		return 0, -1
	}
	return v, at + n
}

// DecodeBlock decodes one-byte numbers, the most common, without a function call.
func (packed) DecodeBlock(dst []Posting, start int64, data []byte) ([]Posting, error) {
	if start < 0 {
		return nil, ErrBlock
	}
	doc := uint64(start)
	for i := 0; i < len(data); {
		delta := uint64(data[i])
		i++
		if delta >= 0x80 {
			var n int
			if delta, n = binary.Uvarint(data[i-1:]); n <= 0 {
				return nil, ErrBlock
			}
			i += n - 1
		}
		count := uint64(1)
		if delta&1 != 0 {
			var n int
			if count, n = binary.Uvarint(data[i:]); n <= 0 {
				return nil, ErrBlock
			}
			i += n
		}
		if i >= len(data) {
			return nil, ErrBlock
		}
		length := uint64(data[i])
		i++
		if length >= 0x80 {
			var n int
			if length, n = binary.Uvarint(data[i-1:]); n <= 0 {
				return nil, ErrBlock
			}
			i += n - 1
		}
		doc += delta >> 1
		if doc > math.MaxInt64 {
			return nil, ErrBlock
		}
		dst = append(dst, Posting{Doc: int64(doc), Count: uint32(count), Length: uint32(length)})
	}
	return dst, nil
}

// appendPacked appends the encoding of a posting that follows docID previous.
func appendPacked(data []byte, previous int64, p Posting) []byte {
	delta := uint64(p.Doc-previous) << 1
	if p.Count > 1 {
		data = binary.AppendUvarint(data, delta|1)
		data = binary.AppendUvarint(data, uint64(p.Count))
	} else {
		data = binary.AppendUvarint(data, delta)
	}
	return binary.AppendUvarint(data, uint64(p.Length))
}

// packBlocks splits postings of one list into blocks, the first of which starts
// at start. If postings were appended at the end of the list, it fills blocks
// completely, since more postings will follow. Otherwise it splits evenly, so
// that each block has room.
func packBlocks(list List, start int64, postings []Posting, appended bool) []Block {
	limit := PackedBytes
	if !appended {
		size, previous := 0, start
		for _, p := range postings {
			size += len(appendPacked(nil, previous, p))
			previous = p.Doc
		}
		parts := (size + PackedBytes - 1) / PackedBytes
		limit = min(PackedBytes, size/max(parts, 1)+16)
	}
	var blocks []Block
	var buffer []byte
	current := Block{List: list, Start: start}
	previous := start
	for _, p := range postings {
		buffer = appendPacked(buffer[:0], previous, p)
		if len(current.Data) > 0 && len(current.Data)+len(buffer) > limit {
			blocks = append(blocks, current)
			current = Block{List: list, Start: p.Doc}
			buffer = appendPacked(buffer[:0], p.Doc, p)
		}
		current.Data = append(current.Data, buffer...)
		previous = p.Doc
	}
	if len(current.Data) > 0 {
		blocks = append(blocks, current)
	}
	return blocks
}
