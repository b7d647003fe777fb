package edit

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		one, other string
		most, want int
	}{
		{"", "", 0, 0}, {"", "ab", 2, 2}, {"", "abc", 2, 3}, {"seat", "seat", 2, 0}, {"seat", "sea", 2, 1}, {"seat", "saet", 2, 1},
		{"seat", "boat", 2, 2}, {"seat", "boat", 1, 2}, {"abcd", "badc", 2, 2}, {"kitten", "sitting", 5, 3}, {"молко", "молоко", 2, 1},
		{"ab", "ba", 0, 1}, {"a\xff", "a", 2, 1},
	} {
		if got := Distance(c.one, c.other, c.most); got != c.want {
			t.Errorf("%q and %q, at most %d: %d, want %d", c.one, c.other, c.most, got, c.want)
		}
	}
}

func FuzzDistance(f *testing.F) {
	f.Add("termostat", "thermostat")
	f.Add("", "x")
	f.Add("σςΣ\xff", "ab")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 200 {
			return
		}
		if d := Distance(a, b, 2); d != Distance(b, a, 2) || d < 0 || d > 3 || a == b && d != 0 {
			t.Errorf("distance %d", d)
		}
	})
}
