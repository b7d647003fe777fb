package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// microDigits is the number of decimals of a credit: it has a million micros.
const microDigits = 6

// errCredits reports an invalid amount.
var errCredits = errors.New("must be an amount of credits from 0 to 1000000 with at most six decimals, such as 0.002")

// maxMicros is the highest amount that the server accepts, in micros.
const maxMicros = 1_000_000_000_000

// parseCredits returns the micros of an amount of credits, exactly.
func parseCredits(text string) (int64, error) {
	whole, fraction, pointed := strings.Cut(text, ".")
	digits := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	if !digits(whole) || !digits(fraction) || whole == "" || pointed && fraction == "" || len(fraction) > microDigits || len(whole) > microDigits+1 {
		return 0, errCredits
	}
	micros, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", microDigits-len(fraction)), 10, 64)
	if err != nil || micros > maxMicros {
		return 0, errCredits
	}
	return micros, nil
}

// credits returns an amount of micros in credits, without trailing zeros.
func credits(micros int64) string {
	sign := ""
	if micros < 0 {
		sign, micros = "-", -micros
	}
	text := fmt.Sprintf("%s%d.%06d", sign, micros/1_000_000, micros%1_000_000)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// creditValue is a flag's amount in credits; micros is nil if the flag is not given.
type creditValue struct{ micros *int64 }

func (v *creditValue) String() string {
	if v.micros == nil {
		return ""
	}
	return credits(*v.micros)
}

func (v *creditValue) Set(text string) error {
	micros, err := parseCredits(text)
	if err != nil {
		return err
	}
	v.micros = &micros
	return nil
}

// Type names the value in the help.
func (v *creditValue) Type() string { return "credits" }

// countValue is a flag's count, not negative; n is nil if the flag is not given.
type countValue struct{ n *int64 }

func (v *countValue) String() string {
	if v.n == nil {
		return ""
	}
	return strconv.FormatInt(*v.n, 10)
}

func (v *countValue) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return errors.New("must be a whole number that is not negative")
	}
	v.n = &n
	return nil
}

// Type names the value in the help.
func (v *countValue) Type() string { return "int" }
