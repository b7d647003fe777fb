package main

import "testing"

func TestAmountsAreExact(t *testing.T) {
	for text, micros := range map[string]int64{
		"0": 0, "0.000001": 1, "0.002": 2000, "0.0005": 500, "1": 1_000_000, "5.10": 5_100_000,
		"0.1": 100_000, "1000000": 1_000_000_000_000, "999999.999999": 999_999_999_999, "007": 7_000_000,
	} {
		if got, err := parseCredits(text); err != nil || got != micros {
			t.Errorf("%q: %d, %v, want %d", text, got, err, micros)
		}
	}
	for _, text := range []string{"", ".", "1.", ".5", "-1", "+1", "1e3", "1,5", " 1", "0.0000001", "1000000.000001", "99999999", "0x1", "1_000", "NaN", "١"} {
		if got, err := parseCredits(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
	for micros, text := range map[int64]string{
		0: "0", 1: "0.000001", 2500: "0.0025", 1_000_000: "1", 10_000_000: "10", 9_007_199_254_740_991: "9007199254.740991", -1500: "-0.0015",
	} {
		if got := credits(micros); got != text {
			t.Errorf("%d: %q, want %q", micros, got, text)
		}
	}
}
