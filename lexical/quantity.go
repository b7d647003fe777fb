package lexical

import "strings"

// A quantity matches with or without a space between the number and the unit: "16 GB" and
// "16GB", "1,5 m" and "1.5m". In addition to its words, a text has the joined quantity as
// a term.

// units are names of units as people write them after numbers, in lower case. Words with
// other meanings, such as "in", are left out.
var units = func() map[string]bool {
	names := make(map[string]bool)
	for name := range strings.FieldsSeq(`
nm μm mm cm dm m km mi ft yd
mg μg g kg t oz lb lbs ml cl dl l gal
b kb mb gb tb pb kib mib gib tib bit kbit mbit gbit kbps mbps gbps
hz khz mhz ghz w kw mw gw kwp hp ps va kva wh kwh mwh gwh j kj mj cal kcal ev
v kv mv a ma ah mah pa hpa kpa mpa bar mbar psi db
ms μs s sec min mins h hr hrs d c f k
px pt dpi ppi fps rpm mph kmh kph
eur usd gbp chf
мм см дм м км мг г кг т мл л б кб мб гб тб гц кгц мгц ггц вт квт втч квтч а в мс с сек мин ч`) {
		names[name] = true
	}
	return names
}()

// isUnit reports whether a word after a number is a unit. Only a capital A is the ampere:
// "a" is a word of many languages.
func isUnit(word string) bool { return word != "a" && units[strings.ToLower(word)] }

// maxUnit is the length of the longest unit, in bytes.
const maxUnit = 8

// quantityAt returns the quantity at text[at:], where a word with a digit begins, unless the
// text has it in the joined form already.
func quantityAt(text string, at int) (q grouped, ok bool) {
	if !isDigit(rune(text[at])) {
		return q, false
	}
	groups, end := digitsAt(text, at)
	number, ok := plainNumber(text, groups)
	if !ok {
		return q, false
	}
	start := end
	for start < len(text) && start < end+2 && text[start] == ' ' {
		start++
	}
	start += len(text[start:]) - len(strings.TrimPrefix(text[start:], "°"))
	unit := wordAt(text[start:])
	stop := start + len(unit)
	if !isUnit(unit) || joiner(text[stop:]) > 0 && startsWord(text[stop+joiner(text[stop:]):]) {
		return q, false
	}
	token := number + strings.ToLower(unit)
	if token == strings.ToLower(text[at:stop]) {
		return q, false // the word itself
	}
	return grouped{start: at, end: stop, token: token}, true
}

// digitsAt returns the groups of digits at text[at:], each separated from the next by one
// character, and their end. A space separates only groups of exactly three digits.
func digitsAt(text string, at int) (groups []group, end int) {
	for end = at; len(groups) < maxGroups; {
		g := group{start: end}
		if len(groups) > 0 {
			g.between = text[end : end+1]
			g.start++
		}
		g.end = g.start
		for g.end < len(text) && isDigit(rune(text[g.end])) {
			g.end++
		}
		g.digits = g.end - g.start
		if g.digits == 0 || g.between == " " && g.digits != 3 {
			break
		}
		g.zero = text[g.start] == '0'
		groups, end = append(groups, g), g.end
		if end == len(text) || !strings.ContainsRune(" .,'_", rune(text[end])) {
			break
		}
	}
	return groups, end
}

// plainNumber returns the plainest form of a number: 1.5 for "1.50", 1000 for "1,000".
func plainNumber(text string, groups []group) (string, bool) {
	s := grouping{text: text}
	switch {
	case len(groups) == 0:
		return "", false
	case len(groups) == 1:
		return s.join(groups), true
	}
	if number, ok := s.number(groups); ok {
		return number, true
	}
	if len(groups) != 2 || groups[1].between != "." {
		return "", false
	}
	number := s.join(groups[:1])
	if decimals := strings.TrimRight(s.join(groups[1:]), "0"); decimals != "" {
		number += "." + decimals
	}
	return number, true
}

// wordAt returns the letters that text begins with, if the word ends within maxUnit bytes;
// "" otherwise.
func wordAt(text string) string {
	for i, r := range text {
		if i > maxUnit {
			return ""
		}
		switch kindOf(r) {
		case letter:
		case digit, mark:
			return ""
		default:
			return text[:i]
		}
	}
	if len(text) > maxUnit {
		return ""
	}
	return text
}
