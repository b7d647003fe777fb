package edit

import "strings"

// Nearest returns the known words that a mistyped one likely means: the words at the
// smallest distance if that is at most a third of its length, else the words that it is a
// prefix of.
func Nearest(word string, known []string) []string {
	word = strings.ToLower(word)
	best := max(1, len(word)/3)
	var found, begun []string
	for _, k := range known {
		folded := strings.ToLower(k)
		switch d := Distance(word, folded, best); {
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
		return nil // too many to be useful
	}
	return found
}
