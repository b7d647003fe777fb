package wire

import "strings"

// Nearest returns the known words that are likely meant by a mistyped one: those at
// the smallest distance if that is at most a third of its length, else those that
// it begins.
func Nearest(word string, known []string) []string {
	word = strings.ToLower(word)
	best := max(1, len(word)/3)
	var found, begun []string
	for _, k := range known {
		folded := strings.ToLower(k)
		switch d := distance(word, folded); {
		case d < best:
			best, found = d, []string{k}
		case d == best:
			found = append(found, k)
		}
		if len(word) >= 2 && strings.HasPrefix(folded, word) {
			begun = append(begun, k)
		}
	}
	if len(found) == 0 {
		found = begun
	}
	if len(found) > 3 {
		return nil // too many to help
	}
	return found
}

// distance returns the number of insertions, deletions, substitutions and swaps of
// neighbouring bytes between two words (optimal string alignment).
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
