package condition

import "bytes"

// jsonType is the type of a JSON value.
type jsonType int

const (
	jsonOther jsonType = iota // null
	jsonText
	jsonNumber
	jsonBool
	jsonArray
	jsonObject
)

var jsonTypes = map[Type]jsonType{TextType: jsonText, NumberType: jsonNumber, BoolType: jsonBool}

func typeOf(value []byte) jsonType {
	switch c := value[0]; {
	case c == '"':
		return jsonText
	case c == '-' || '0' <= c && c <= '9':
		return jsonNumber
	case c == 't' || c == 'f':
		return jsonBool
	case c == '[':
		return jsonArray
	case c == '{':
		return jsonObject
	}
	return jsonOther
}

// members is a node of the tree of member paths that a condition reads.
type members struct {
	index int // number of the path that ends here; -1: none
	under map[string]*members
}

// add returns the number of a path. A new path gets the number count.
func (m *members) add(path []string, count *int) int {
	for _, name := range path {
		next := m.under[name]
		if next == nil {
			if m.under == nil {
				m.under = make(map[string]*members)
			}
			next = &members{index: -1}
			m.under[name] = next
		}
		m = next
	}
	if m.index < 0 {
		m.index = *count
		*count++
	}
	return m.index
}

// find returns the members of a JSON value by path number, for count paths: none if the
// value lacks the path, and several, from the elements, if the path crosses an array. If
// an object repeats a name, its last member is used. It returns nil if the value has no
// members.
func (m *members) find(value []byte, count int) [][][]byte {
	f := finder{text: value}
	if i := f.space(0); i >= len(value) || value[i] != '{' {
		return nil
	}
	f.found = make([][][]byte, count)
	if f.value(f.space(0), m) < 0 {
		return nil // not JSON
	}
	return f.found
}

// restore removes the values found for the paths that end at m or below it, except the first
// ones: found and counts are indexed by path number, and counts has the number of values to
// keep.
func (m *members) restore(found [][][]byte, counts []int) {
	if m.index >= 0 {
		found[m.index] = found[m.index][:counts[m.index]]
	}
	for _, next := range m.under {
		next.restore(found, counts)
	}
}

// finder reads a JSON text. Its methods take an offset and return the offset after the
// part that they read, or -1 if the text ends early.
type finder struct {
	text  []byte
	found [][][]byte
}

func (f *finder) space(i int) int {
	for i < len(f.text) && (f.text[i] == ' ' || f.text[i] == '\t' || f.text[i] == '\n' || f.text[i] == '\r') {
		i++
	}
	return i
}

// value reads a value and collects the members in m.
func (f *finder) value(i int, m *members) int {
	start := i
	var end int
	switch {
	case i < len(f.text) && f.text[i] == '{' && len(m.under) > 0:
		end = f.object(i, m)
	case i < len(f.text) && f.text[i] == '[' && len(m.under) > 0:
		end = f.array(i, m)
	default:
		end = f.skip(i)
	}
	if end >= 0 && m.index >= 0 {
		f.found[m.index] = append(f.found[m.index], f.text[start:end])
	}
	return end
}

// counts returns the number of values of each path.
func (f *finder) counts() []int {
	counts := make([]int, len(f.found))
	for i, values := range f.found {
		counts[i] = len(values)
	}
	return counts
}

// array reads an array and collects the members of its elements.
func (f *finder) array(i int, m *members) int {
	elements := members{index: -1, under: m.under}
	return f.elements(i, func(i int) int { return f.value(i, &elements) })
}

// elements reads an array and calls read for each element.
func (f *finder) elements(i int, read func(int) int) int {
	for i = f.space(i + 1); i < len(f.text) && f.text[i] != ']'; {
		end := read(i)
		if end <= i {
			return -1
		}
		if i = f.space(end); i < len(f.text) && f.text[i] == ',' {
			i = f.space(i + 1)
		}
	}
	if i >= len(f.text) {
		return -1
	}
	return i + 1
}

// object reads an object and collects the members in m.
func (f *finder) object(i int, m *members) int {
	var before []int // number of values of each path before the object
	for i = f.space(i + 1); i < len(f.text) && f.text[i] != '}'; {
		name := i
		if i = f.skip(i); i < 0 {
			return -1
		}
		next := m.under[unquote(f.text[name:i])]
		if i = f.space(i); i >= len(f.text) || f.text[i] != ':' {
			return -1
		}
		i = f.space(i + 1)
		if next == nil {
			i = f.skip(i)
		} else {
			if before == nil {
				before = f.counts()
			}
			// The last member of a name counts: drop the values of an earlier one.
			next.restore(f.found, before)
			i = f.value(i, next)
		}
		if i < 0 {
			return -1
		}
		if i = f.space(i); i < len(f.text) && f.text[i] == ',' {
			i = f.space(i + 1)
		}
	}
	if i >= len(f.text) {
		return -1
	}
	return i + 1
}

// skip reads any value.
func (f *finder) skip(i int) int {
	for depth := 0; i < len(f.text); {
		switch c := f.text[i]; c {
		case '"':
			if i = f.skipString(i); i < 0 {
				return -1
			}
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			i++
		default: // a number or a word
			for i < len(f.text) && !ends[f.text[i]] {
				i++
			}
		}
		if depth <= 0 {
			return i
		}
	}
	return -1
}

// ends are the bytes that end a number or a word.
var ends = [256]bool{',': true, ':': true, ']': true, '}': true, ' ': true, '\t': true, '\n': true, '\r': true}

// skipString searches from quote to quote, since most of a long value is in its strings.
func (f *finder) skipString(i int) int {
	for i++; ; {
		quote := bytes.IndexByte(f.text[i:], '"')
		if quote < 0 {
			return -1
		}
		escaped := false
		for j := i + quote - 1; j >= i && f.text[j] == '\\'; j-- {
			escaped = !escaped
		}
		i += quote + 1
		if !escaped {
			return i
		}
	}
}

// anyElement reports whether an element of a JSON array fits.
func anyElement(array []byte, fits func([]byte) bool) (any bool) {
	f := finder{text: array}
	f.elements(0, func(i int) int {
		end := f.skip(i)
		if any = end > i && fits(array[i:end]); any {
			return -1 // enough
		}
		return end
	})
	return any
}
