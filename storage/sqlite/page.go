package sqlite

import (
	"encoding/binary"
	"errors"
	"slices"
)

// The kinds of b-tree pages, by their first byte: sqlite.org/fileformat2.html#b_tree_pages.
// Overflow and freelist pages begin with a page number, whose first byte is below 2 in a
// file of less than 128 GiB.
const (
	interiorIndex = 2
	interiorTable = 5
	leafIndex     = 10
	leafTable     = 13
)

// maxPages is the size of a file up to which the kind of a page shows in its first byte.
const maxPages = 0x01FFFFFF

// fileHeader is the size of the header of the file, which is on its first page.
const fileHeader = 100

var errPage = errors.New("a page has an unknown form")

// extent is a range of bytes of a page.
type extent struct{ from, to int }

// wipe zeroes the bytes of a b-tree page that belong to none of its cells, and reports
// whether one of them was not zero. SQLite leaves copies of cells there when it moves
// them to balance a tree, which secure_delete does not overwrite. Other pages are left
// as they are. usable is the size of a page without what is reserved at its end.
//
// What SQLite reads of a page stays: header, cell pointers, cells, and the first four
// bytes of free blocks.
func wipe(page []byte, number int64, usable int) (changed bool, err error) {
	start := 0
	if number == 1 {
		start = fileHeader
	}
	kind := page[start]
	header := 8
	switch kind {
	case interiorIndex, interiorTable:
		header = 12
	case leafIndex, leafTable:
	default:
		return false, nil
	}
	cells := int(binary.BigEndian.Uint16(page[start+3:]))
	pointers := start + header
	content := pointers + 2*cells
	if content > usable {
		return false, errPage
	}
	used, err := freeBlocks(page, start, usable)
	if err != nil {
		return false, err
	}
	for i := range cells {
		from := int(binary.BigEndian.Uint16(page[pointers+2*i:]))
		size, ok := cellSize(page[:usable], from, kind)
		if from < content || !ok || from+size > usable {
			return false, errPage
		}
		used = append(used, extent{from, from + size})
	}
	slices.SortFunc(used, func(a, b extent) int { return a.from - b.from })
	end := content
	for _, e := range append(used, extent{usable, usable}) {
		if e.from > end {
			changed = clearBytes(page[end:e.from]) || changed
		}
		end = max(end, e.to)
	}
	return changed, nil
}

// freeBlocks returns the headers of a page's free blocks.
func freeBlocks(page []byte, start, usable int) (headers []extent, err error) {
	for at := int(binary.BigEndian.Uint16(page[start+1:])); at != 0; {
		if at+4 > usable {
			return nil, errPage
		}
		headers = append(headers, extent{at, at + 4})
		next := int(binary.BigEndian.Uint16(page[at:]))
		if next != 0 && next <= at { // they are in the order of their offsets
			return nil, errPage
		}
		at = next
	}
	return headers, nil
}

// cellSize returns the size of the cell at an offset of a page; false if it does not fit.
func cellSize(page []byte, at int, kind byte) (size int, ok bool) {
	const least = 4 // a smaller cell takes as much
	if kind == interiorIndex || kind == interiorTable {
		size = 4 // number of the left child
	}
	first, n := varint(page, at+size)
	size += n
	if kind == interiorTable { // the first is the row ID
		return max(size, least), n > 0
	}
	if n == 0 {
		return 0, false
	}
	if kind == leafTable {
		_, n = varint(page, at+size)
		if size += n; n == 0 {
			return 0, false
		}
	}
	local := localPayload(first, len(page), kind == leafTable)
	size += local
	if uint64(local) < first {
		size += 4 // number of the first overflow page
	}
	return max(size, least), at+size <= len(page)
}

// localPayload returns how many bytes of a payload are within its cell:
// sqlite.org/fileformat2.html#cell_payload.
func localPayload(payload uint64, usable int, table bool) int {
	most := (usable-12)*64/255 - 23
	if table {
		most = usable - 35
	}
	if payload <= uint64(most) {
		return int(payload)
	}
	least := (usable-12)*32/255 - 23
	if local := least + int((payload-uint64(least))%uint64(usable-4)); local <= most {
		return local
	}
	return least
}

// varint reads a variable-length integer and returns its size, 0 if it does not fit.
func varint(page []byte, at int) (value uint64, size int) {
	for size < 9 && at+size < len(page) {
		b := page[at+size]
		size++
		if size == 9 {
			return value<<8 | uint64(b), size
		}
		value = value<<7 | uint64(b&0x7f)
		if b < 0x80 {
			return value, size
		}
	}
	return 0, 0
}

// clearBytes zeroes bytes and reports whether one was not zero.
func clearBytes(bytes []byte) (changed bool) {
	for _, b := range bytes {
		if b != 0 {
			clear(bytes)
			return true
		}
	}
	return false
}
