package lexical

import (
	"bytes"
	"strings"
)

// Numbers and codes are written in groups, in many ways: +44 20 7946 0018, 020-7946-0018;
// FR76 3000 6000 …; 2,450.00, 2.450 and 2 450; KR 88213 and KR-88213. In addition to its
// groups, a text has the joined number or code as a term. Exact numbers have no joined
// form: versions, times and network addresses. For days see day.go.

// grouped is a number or code with its groups joined.
type grouped struct {
	start, end int // range of its groups in the text
	token      string
	position   int // position of its first group, once that is scanned
}

const (
	// maxGroups and maxGrouped bound the groups and the characters of a code.
	maxGroups, maxGrouped = 12, 40
	// minGrouped is the length of the shortest code of several groups.
	minGrouped = 5
	// maxLetters is the length of a group of letters only within a code, such as the bank
	// in NL91 ABNA 0417…, and maxEdge the length of one before or after its digits.
	maxLetters, maxEdge = 4, 3
	// tailDigits is how many of the last digits of a telephone number form a term, so that the
	// number matches with and without the country's code. A telephone number has minTail to
	// maxTail digits.
	tailDigits, minTail, maxTail = 8, 8, 15
)

// group is a run of ASCII letters and digits.
type group struct {
	start, end int
	digits     int
	between    string // text between the previous group and this one
	zero       bool   // begins with a zero
}

func (g group) length() int    { return g.end - g.start }
func (g group) isNumber() bool { return g.digits == g.length() }

// inCodes are characters of which every joined number or code contains one.
const inCodes = "0123456789:."

// scanGroups adds the words of the compound at text[at:], and the joined numbers and codes
// that end with it. It returns the end of the compound.
func (a *analysis) scanGroups(text string, at int) int {
	position := a.position
	a.part = len(a.groups) > 0
	end := at + a.scanCompound(text[at:])
	a.part = false
	for i := range a.groups {
		if at <= a.groups[i].start {
			a.groups[i].position = position
		}
	}
	a.endGroups(end)
	return end
}

// endGroups adds the joined numbers and codes that end before text[end:].
func (a *analysis) endGroups(end int) {
	open := a.groups[:0]
	for _, g := range a.groups {
		if g.end > end {
			open = append(open, g)
			continue
		}
		a.addGrouped(g)
	}
	a.groups = open
}

// addGrouped adds a joined number or code, once.
func (a *analysis) addGrouped(g grouped) {
	if a.inflecting {
		return
	}
	token := string(stem([]byte(g.token)))
	if i, known := a.index[token]; known {
		a.roles[i], a.inPart[i] = Joined, false
	} else {
		a.role = Joined
		a.add([]byte(token))
		a.role = Sought
	}
	a.addForm([]byte(token), span{g.position, a.position}, sought)
}

// groupedAt returns the joined numbers and codes whose first group begins at text[at:],
// and the end of the text that it looked at. asking reports whether the text is a query,
// in which letters may be of any case.
func groupedAt(text string, at int, asking bool) (found []grouped, end int) {
	groups := groupsAt(text, at, asking)
	if len(groups) == 0 {
		return nil, at
	}
	s := grouping{text: text, asking: asking}
	for len(groups) > 0 {
		groups = groups[s.next(groups):]
	}
	return s.found, s.end
}

// groupsAt returns the groups of a possible code at text[at:].
func groupsAt(text string, at int, asking bool) []group {
	first, ok := groupAt(text, at, asking)
	if !ok {
		return nil
	}
	groups := []group{first}
	for len(groups) < maxGroups {
		last := groups[len(groups)-1].end
		width := betweenGroups(text[last:])
		if width == 0 {
			break
		}
		next, ok := groupAt(text, last+width, asking)
		if !ok {
			break
		}
		next.between = text[last : last+width]
		groups = append(groups, next)
	}
	return groups
}

// groupAt returns the group at text[at:] if it may be part of a code: it has digits, or
// consists of a few capitals.
func groupAt(text string, at int, asking bool) (g group, ok bool) {
	g = group{start: at, end: at}
	upper := true
	for g.end < len(text) && isAlphanumeric(text[g.end]) {
		switch c := text[g.end]; {
		case isDigit(rune(c)):
			g.digits++
		case c >= 'a':
			upper = false
		}
		g.end++
	}
	if g.end == at || g.end < len(text) && text[g.end] >= 0x80 && startsWord(text[g.end:]) {
		return g, false
	}
	g.zero = text[at] == '0'
	return g, g.digits > 0 || (upper || asking) && g.length() <= maxLetters || isHexPair(text, g)
}

// isHexPair reports whether a group of letters may be part of a hardware address.
func isHexPair(text string, g group) bool {
	for _, c := range []byte(text[g.start:g.end]) {
		if c|0x20 > 'f' {
			return false
		}
	}
	return g.length() == 2 && (g.start > 0 && text[g.start-1] == ':' || strings.HasPrefix(text[g.end:], ":"))
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// betweenGroups returns the length of the separator of two groups that text begins with; 0
// if the groups end there.
func betweenGroups(text string) int {
	for _, separator := range [...]string{") ", " (", ")", "(", " ", "-", ".", ",", ":", "/", "_", "'", "’", "\u2010"} {
		if strings.HasPrefix(text, separator) {
			return len(separator)
		}
	}
	return 0
}

// loose reports whether a separator joins groups of one code.
func loose(between string) bool {
	switch between {
	case " ", "-", "_", "(", ")", ") ", " (", "\u2010":
		return true
	}
	return false
}

// grouping collects the codes of a sequence of groups.
type grouping struct {
	text   string
	asking bool
	found  []grouped
	end    int
}

// add adds a joined code, in lower case.
func (s *grouping) add(start, end int, token string) {
	s.found = append(s.found, grouped{start: start, end: end, token: token})
}

// next reads the first number or code of the groups and returns the number of its groups.
func (s *grouping) next(groups []group) int {
	n := 1
	for n < len(groups) && !loose(groups[n].between) {
		n++
	}
	s.end = max(s.end, groups[n-1].end)
	if n > 1 {
		if s.addTight(groups[:n]) {
			return n
		}
		if !isTelephone(groups[:n]) {
			return n // exact: a version, date, time or address
		}
	}
	for n < len(groups) && loose(groups[n].between) && (n+1 == len(groups) || loose(groups[n+1].between)) {
		n++
	}
	s.end = max(s.end, groups[n-1].end)
	s.addCode(groups[:n])
	return n
}

// addTight adds the joined form of groups that no space separates, if they are a number with
// thousands separators or decimals, or the address of a device. It reports whether they are.
func (s *grouping) addTight(groups []group) bool {
	start, end := groups[0].start, groups[len(groups)-1].end
	if isHardware(groups) {
		s.add(start, end, s.join(groups))
		return true
	}
	if number, ok := s.number(groups); ok {
		s.add(start, end, number)
		return true
	}
	return false
}

// addCode adds the code from the first group with a digit to the last one, and again with the
// groups of letters before and after it.
func (s *grouping) addCode(groups []group) {
	first, last := 0, len(groups)-1
	for first <= last && groups[first].digits == 0 {
		first++
	}
	for last > first && groups[last].digits == 0 {
		last--
	}
	if first > last || isDate(groups[first:last+1]) {
		return
	}
	core := groups[first : last+1]
	s.addPieces(core)
	s.addTail(core)
	before, after := first, last+1 // including the letters at the edges
	if first > 0 && groups[first-1].length() <= maxEdge {
		before--
		s.addPieces(groups[before : last+1])
		if before > 0 && groups[before-1].length() <= maxEdge {
			s.addPieces(groups[before-1 : last+1])
		}
	}
	if last < len(groups)-1 && groups[last+1].length() <= maxEdge {
		after++
		s.addPieces(groups[first:after])
		s.addPieces(groups[before:after])
	}
	if len(core) > 1 && isThousands(core) {
		s.add(core[0].start, core[len(core)-1].end, s.join(core))
	}
}

// addPieces adds several groups joined, unless the result is too short or too long for a code.
func (s *grouping) addPieces(groups []group) {
	token := s.join(groups)
	if len(groups) > 1 && len(token) >= minGrouped && len(token) <= maxGrouped {
		s.add(groups[0].start, groups[len(groups)-1].end, token)
	}
}

// addTail adds the last digits of a possible telephone number.
func (s *grouping) addTail(groups []group) {
	digits := s.join(groups)
	for _, g := range groups {
		if !g.isNumber() {
			return
		}
	}
	if len(digits) < minTail || len(digits) > maxTail {
		return
	}
	start := groups[0].start
	if len(groups) > 1 || s.asking || digits[0] == '0' || start > 0 && s.text[start-1] == '+' {
		s.add(start, groups[len(groups)-1].end, "+"+digits[len(digits)-tailDigits:])
	}
}

// join returns groups joined, in lower case.
func (s *grouping) join(groups []group) string {
	var joined []byte
	for _, g := range groups {
		joined = append(joined, s.text[g.start:g.end]...)
	}
	return string(bytes.ToLower(joined))
}
