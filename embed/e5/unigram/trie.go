package unigram

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// trie finds the pieces that are prefixes of a text. Its nodes are numbered breadth first, so
// that the children of a node have consecutive numbers, in the order of their bytes. A node
// takes 7 bytes.
type trie struct {
	root  [256]int32 // the root's children by their byte; 0: none
	label []byte     // the byte that leads to each node
	first uint24s    // each node's first child; the others follow, up to the next node's first
	id    uint24s    // the ID of the piece that ends at the node, or noPiece
}

// uint24s are little-endian numbers of three bytes.
type uint24s []byte

const (
	maxNodes = 1<<24 - 1
	noPiece  = maxNodes
)

func (u uint24s) at(i int32) int32 {
	b := u[3*i:][:3]
	return int32(b[0]) | int32(b[1])<<8 | int32(b[2])<<16
}

func (u uint24s) append(n int) uint24s { return append(u, byte(n), byte(n>>8), byte(n>>16)) }

// none is returned instead of the ID of a piece if there is no piece.
const none = -1

// newTrie returns the trie of the pieces for which use returns true. It is an error if two of
// them are equal.
func newTrie(pieces []string, use func(id int) bool) (*trie, error) {
	var sorted []int32
	for id := range pieces {
		if use(id) {
			sorted = append(sorted, int32(id))
		}
	}
	slices.SortFunc(sorted, func(a, b int32) int { return strings.Compare(pieces[a], pieces[b]) })
	t := &trie{}
	// subtrees[n] is the range of sorted with the pieces below node n: they share the first
	// depth bytes.
	type subtree struct {
		from, to, depth int
		label           byte
	}
	subtrees := []subtree{{0, len(sorted), 0, 0}}
	for n := 0; n < len(subtrees); n++ {
		if len(subtrees) > maxNodes {
			return nil, errors.New("the pieces have too many different beginnings")
		}
		s, id := subtrees[n], noPiece
		t.label, t.first = append(t.label, s.label), t.first.append(len(subtrees))
		if s.from < s.to && len(pieces[sorted[s.from]]) == s.depth {
			id = int(sorted[s.from])
			s.from++
			if s.from < s.to && len(pieces[sorted[s.from]]) == s.depth {
				return nil, fmt.Errorf("pieces %d and %d are equal", id, sorted[s.from])
			}
		}
		t.id = t.id.append(id)
		for s.from < s.to {
			c, to := pieces[sorted[s.from]][s.depth], s.from+1
			for to < s.to && pieces[sorted[to]][s.depth] == c {
				to++
			}
			subtrees = append(subtrees, subtree{s.from, to, s.depth + 1, c})
			s.from = to
		}
	}
	t.first = t.first.append(len(subtrees))
	t.setRoot()
	return t, nil
}

// nodeBytes is the size of a node in bytes. After the last node there is one more number of
// three bytes.
const nodeBytes = 1 + 3 + 3

// readTrie returns the trie that appendTo wrote, as a view of b, given its number of nodes. It
// is an error if the ID of a piece is not below pieces.
func readTrie(b []byte, nodes, pieces int) (*trie, error) {
	t := &trie{label: b[:nodes], first: b[nodes:][:3*(nodes+1)], id: b[nodes+3*(nodes+1):]}
	last := int32(1)
	for n := range int32(nodes) {
		first, id := t.first.at(n), t.id.at(n)
		if first < last || first <= n || id != noPiece && int(id) >= pieces {
			return nil, errors.New("the trie of the pieces is damaged")
		}
		last = first
	}
	if end := t.first.at(int32(nodes)); end < last || end != int32(nodes) {
		return nil, errors.New("the trie of the pieces is damaged")
	}
	t.setRoot()
	return t, nil
}

func (t *trie) appendTo(b []byte) []byte {
	return append(append(append(b, t.label...), t.first...), t.id...)
}

func (t *trie) setRoot() {
	for n := t.first.at(0); n < t.first.at(1); n++ {
		t.root[t.label[n]] = n
	}
}

// piece returns the ID of the piece that ends at a node, or none.
func (t *trie) piece(node int32) int32 {
	if id := t.id.at(node); id != noPiece {
		return id
	}
	return none
}

// child returns the child of a node for a byte, or 0.
func (t *trie) child(node int32, c byte) int32 {
	if node == 0 {
		return t.root[c]
	}
	from, to := t.first.at(node), t.first.at(node+1)
	if i := bytes.IndexByte(t.label[from:to], c); i >= 0 {
		return from + int32(i)
	}
	return 0
}
