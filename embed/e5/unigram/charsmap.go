package unigram

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

const (
	// maxCharsmap bounds a charsmap, in bytes. The charsmap nmt_nfkc has 240 kB.
	maxCharsmap = 16 << 20
	// maxReplacement bounds the replacement of a character, in bytes. The longest of
	// Unicode's compatibility mappings, for U+FDFA, has 33.
	maxReplacement = 255
	// maxMapped is the length in bytes up to which a grapheme cluster (a character with its
	// marks) is replaced as a whole. In longer clusters each character is replaced separately.
	maxMapped = 5
)

// charsmap replaces characters: SentencePiece's precompiled_charsmap. It is a
// double-array trie (Darts-clone) from UTF-8 sequences to offsets in text, where
// a replacement ends with a NUL. The zero value replaces nothing.
type charsmap struct {
	units []uint32
	text  string
	ascii [utf8.RuneSelf]mapping // of each ASCII character alone
}

// mapping is the replacement of a sequence, if ok.
type mapping struct {
	text string
	ok   bool
}

// parseCharsmap reads a precompiled charsmap: the size of the trie in bytes as a
// little-endian 32-bit number, the trie's units, the replacements.
func parseCharsmap(b []byte) (charsmap, error) {
	var c charsmap
	if len(b) == 0 {
		return c, nil
	}
	if len(b) > maxCharsmap {
		return c, fmt.Errorf("charsmap of %d bytes, at most %d are supported", len(b), maxCharsmap)
	}
	if len(b) < 4 {
		return c, errors.New("charsmap is cut off")
	}
	size := uint64(binary.LittleEndian.Uint32(b))
	if size%4 != 0 || size > uint64(len(b)-4) {
		return c, fmt.Errorf("charsmap of %d bytes says that its trie has %d", len(b), size)
	}
	trie, text := b[4:4+size], b[4+size:]
	for replacement := range strings.SplitSeq(string(text), "\x00") {
		if len(replacement) > maxReplacement {
			return c, fmt.Errorf("charsmap has a replacement of %d bytes, at most %d are supported", len(replacement), maxReplacement)
		}
	}
	if !utf8.Valid(text) {
		return c, errors.New("replacements of the charsmap are not UTF-8")
	}
	c.units, c.text = make([]uint32, size/4), string(text)
	for i := range c.units {
		c.units[i] = binary.LittleEndian.Uint32(trie[4*i:])
	}
	for i := range c.ascii {
		c.ascii[i] = c.find(string(rune(i)))
	}
	return c, nil
}

// find returns the replacement of the shortest prefix of key that has one. The longest prefix
// would seem right, but the reference implementation (crate spm_precompiled) takes the
// shortest.
func (c *charsmap) find(key string) mapping {
	if len(c.units) == 0 {
		return mapping{}
	}
	node := offset(c.units[0])
	for i := range len(key) {
		node ^= uint32(key[i])
		if key[i] == 0 || node >= uint32(len(c.units)) {
			return mapping{}
		}
		unit := c.units[node]
		if unit&(1<<31|0xff) != uint32(key[i]) { // the unit is a leaf, or a child of another node
			return mapping{}
		}
		node ^= offset(unit)
		if unit>>8&1 == 1 { // it has a leaf
			if node >= uint32(len(c.units)) {
				return mapping{}
			}
			return c.replacement(c.units[node] &^ (1 << 31))
		}
	}
	return mapping{}
}

// offset returns the distance of a unit to its children.
func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

func (c *charsmap) replacement(at uint32) mapping {
	if at >= uint32(len(c.text)) || !utf8.RuneStart(c.text[at]) {
		return mapping{}
	}
	text, _, _ := strings.Cut(c.text[at:], "\x00")
	return mapping{text, true}
}

// normalize calls add for each normalized part of text, in order, with the byte range of text
// that the part replaces. It stops when add returns false. Invalid bytes count as U+FFFD.
//
// Like the reference implementation, it replaces grapheme clusters of up to maxMapped bytes as
// a whole, and then single characters: e followed by U+0301 becomes é. Further marks of a
// cluster may stay, or be lost.
func (c *charsmap) normalize(text string, add func(part string, start, end int) bool) {
	each := func(char string, start, end int) bool {
		if m := c.find(char); m.ok {
			char = m.text
		}
		return add(char, start, end)
	}
	for i := 0; i < len(text); {
		b := text[i]
		if b < utf8.RuneSelf && b != '\r' && (i+1 == len(text) || text[i+1] < utf8.RuneSelf) {
			part := text[i : i+1]
			if m := c.ascii[b]; m.ok {
				part = m.text
			}
			if !add(part, i, i+1) {
				return
			}
			i++
			continue
		}
		cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(text[i:], -1)
		if len(cluster) <= maxMapped {
			if m := c.find(cluster); m.ok {
				if !add(m.text, i, i+len(cluster)) {
					return
				}
				i += len(cluster)
				continue
			}
		}
		for end := i + len(cluster); i < end; {
			r, size := utf8.DecodeRuneInString(text[i:])
			char := text[i : i+size]
			if r == utf8.RuneError {
				char = "\uFFFD"
			}
			if !each(char, i, i+size) {
				return
			}
			i += size
		}
	}
}
