package lexical

import "strings"

// The functions below classify groups of letters and digits by their form.

// isHardware reports whether groups are a hardware address: six or eight pairs of
// hexadecimal digits, or three groups of four, separated by one character.
func isHardware(groups []group) bool {
	length := 2
	switch {
	case len(groups) == 3 && groups[1].between == ".":
		length = 4
	case len(groups) != 6 && len(groups) != 8:
		return false
	}
	letters := 0
	for i, g := range groups {
		if g.length() != length || i > 0 && g.between != groups[1].between {
			return false
		}
		letters += g.length() - g.digits
	}
	return groups[1].between == ":" || length == 4 && letters > 0
}

// number returns the plainest form of the number in groups: 1,250,000.50 is 1250000.5.
func (s *grouping) number(groups []group) (string, bool) {
	thousands, last := groups, len(groups)-1
	decimals := ""
	for _, g := range groups {
		if !g.isNumber() {
			return "", false
		}
	}
	between := groups[1].between
	switch {
	case last > 1 && groups[last].between != between && (groups[last].between == "." || groups[last].between == ","):
		thousands, decimals = groups[:last], s.text[groups[last].start:groups[last].end]
	case last == 1 && groups[1].length() != 3 && (between == "," || between == "." && groups[0].length() > 2): // 1.20 may be a version
		thousands, decimals = groups[:1], s.text[groups[1].start:groups[1].end]
	}
	if len(thousands) > 1 && !isThousands(thousands) {
		return "", false
	}
	number := strings.TrimLeft(s.join(thousands), "0")
	if number == "" {
		number = "0"
	}
	if decimals = strings.TrimRight(decimals, "0"); decimals != "" {
		number += "." + decimals
	}
	return number, true
}

// isThousands reports whether groups are a number with thousands separators: groups of
// three digits after the first, or, in the Indian system, groups of two and a last one of
// three.
func isThousands(groups []group) bool {
	between, last := groups[1].between, len(groups)-1
	indian := between == "," && last > 1 && groups[1].length() == 2
	for i, g := range groups[1:] {
		length := 3
		if indian && i+1 < last {
			length = 2
		}
		if g.length() != length || g.between != between {
			return false
		}
	}
	switch between {
	case " ", ",", ".", "'", "’", "_":
	default:
		return false
	}
	return groups[0].length() <= 3 && (between != "." || !groups[0].zero && !isNetwork(groups))
}

// isNetwork reports whether groups may be an IPv4 address.
func isNetwork(groups []group) bool { return len(groups) == 4 && groups[3].length() <= 3 }

// isTelephone reports whether groups separated by points or slashes are a telephone number
// rather than a version, a date or a network address.
func isTelephone(groups []group) bool {
	digits := 0
	for i, g := range groups {
		if !g.isNumber() || g.length() < 2 || i > 0 && g.between != groups[1].between {
			return false
		}
		digits += g.digits
	}
	switch groups[1].between {
	case ".":
		return len(groups) > 2 && digits > 8 && digits <= maxTail && !isNetwork(groups)
	case "/":
		return len(groups) == 2 && digits >= minTail && digits <= maxTail
	}
	return false
}

// isDate reports whether groups are a date with hyphens, such as 2026-06-30.
func isDate(groups []group) bool {
	if len(groups) != 3 || groups[1].between != "-" || groups[2].between != "-" || groups[1].length() > 2 {
		return false
	}
	a, b := groups[0].length(), groups[2].length()
	return a == 4 && b <= 2 || a <= 2 && b == 4
}
