package condition

import (
	"cmp"
	"strconv"
	"strings"
)

// Number is a decimal number of any size, exactly: 0.digits · 10^exponent, optionally
// negative.
type Number struct {
	text     string
	negative bool
	digits   string // without leading and trailing zeros; "" is 0
	exponent int64
}

const (
	// maxExponent bounds the decimal exponent of an operand, and maxDigits the
	// length of its text.
	maxExponent = 9_999
	maxDigits   = 400
	// hugeExponent replaces all larger exponents. This changes no comparison: without an
	// exponent of this size, no number that fits into a value or an operand is as large or as
	// small.
	hugeExponent = 1 << 40
)

// parseNumber parses a JSON number.
func parseNumber(text string) Number {
	n := Number{text: text}
	rest, negative := strings.CutPrefix(text, "-")
	mantissa, exponent := rest, ""
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		mantissa, exponent = rest[:i], rest[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	whole = strings.TrimLeft(whole, "0")
	n.exponent = int64(len(whole))
	if whole == "" {
		significant := strings.TrimLeft(fraction, "0")
		n.exponent -= int64(len(fraction) - len(significant))
		fraction = significant
	}
	n.digits = strings.TrimRight(whole+fraction, "0")
	if n.digits == "" {
		return Number{text: text}
	}
	n.negative = negative
	n.exponent += parseExponent(exponent)
	return n
}

// parseExponent parses the exponent of a JSON number, within hugeExponent.
func parseExponent(text string) int64 {
	if text == "" {
		return 0
	}
	e, err := strconv.ParseInt(text, 10, 64)
	if err != nil { // out of range: JSON's grammar was checked
		e = hugeExponent
		if text[0] == '-' {
			e = -hugeExponent
		}
	}
	return max(-hugeExponent, min(e, hugeExponent))
}

// compare orders numbers by their exact values.
func (n Number) compare(m Number) int {
	if n.negative != m.negative {
		if n.negative {
			return -1
		}
		return 1
	}
	c := n.compareSize(m)
	if n.negative {
		return -c
	}
	return c
}

func (n Number) compareSize(m Number) int {
	if n.digits == "" || m.digits == "" {
		return cmp.Compare(len(n.digits), len(m.digits))
	}
	return cmp.Or(cmp.Compare(n.exponent, m.exponent), strings.Compare(n.digits, m.digits))
}
