// Package edit compares words by the number of typing errors between them.
package edit

// Distance returns how many letters must be inserted, deleted, replaced or swapped with
// the next to turn one word into the other; most+1 if more than most. It is the optimal
// string alignment distance: Navarro, "A Guided Tour to Approximate String Matching"
// (2001), section 4.2.
func Distance(one, other string, most int) int {
	a, b := []rune(one), []rune(other)
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > most {
			return most + 1
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], most+1)
}
