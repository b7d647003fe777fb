package unigram

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// trie finds the pieces with which a text begins. Nodes are numbered breadth
// first, so that a node's children are next to each other, ordered by their
// bytes. A node takes 9 bytes.
type trie struct {
	root  [256]int32 // the root's children by their byte; 0: none
	label []byte     // the byte that leads to each node
	first []int32    // each node's first child; its last one is before the next node's first
	id    []int32    // the ID of the piece that ends at the node, or none
}

// none is the ID of a node at which no piece ends.
const none = -1

// newTrie returns the trie of the pieces for which use is true. Two equal pieces
// are an error.
func newTrie(pieces []string, use func(id int) bool) (*trie, error) {
	var sorted []int32
	for id := range pieces {
		if use(id) {
			sorted = append(sorted, int32(id))
		}
	}
	slices.SortFunc(sorted, func(a, b int32) int { return strings.Compare(pieces[a], pieces[b]) })
	t := &trie{label: []byte{0}, id: []int32{none}}
	// subtrees[n] is the range of sorted below node n, whose pieces share the first
	// depth bytes.
	type subtree struct{ from, to, depth int }
	subtrees := []subtree{{0, len(sorted), 0}}
	for n := 0; n < len(subtrees); n++ {
		s := subtrees[n]
		t.first = append(t.first, int32(len(subtrees)))
		if s.from < s.to && len(pieces[sorted[s.from]]) == s.depth {
			t.id[n] = sorted[s.from]
			s.from++
			if s.from < s.to && len(pieces[sorted[s.from]]) == s.depth {
				return nil, fmt.Errorf("pieces %d and %d are equal", sorted[s.from-1], sorted[s.from])
			}
		}
		for s.from < s.to {
			c, to := pieces[sorted[s.from]][s.depth], s.from+1
			for to < s.to && pieces[sorted[to]][s.depth] == c {
				to++
			}
			if n == 0 {
				t.root[c] = int32(len(subtrees))
			}
			subtrees = append(subtrees, subtree{s.from, to, s.depth + 1})
			t.label, t.id = append(t.label, c), append(t.id, none)
			s.from = to
		}
	}
	t.first = append(t.first, int32(len(subtrees)))
	return t, nil
}

// child returns the child of a node for a byte, or 0.
func (t *trie) child(node int32, c byte) int32 {
	if node == 0 {
		return t.root[c]
	}
	from, to := t.first[node], t.first[node+1]
	if i := bytes.IndexByte(t.label[from:to], c); i >= 0 {
		return from + int32(i)
	}
	return 0
}
