package relevance

import (
	"fmt"
	"slices"

	"mneme/benchmarks/measure"
)

// SliceStoreSize groups queries by the number of documents in their store.
const SliceStoreSize = "store-size"

// maxSlices is the maximum number of different values of a field by which queries are
// grouped.
const maxSlices = 50

// noValue is the slice of queries without the field.
const noValue = "(none)"

// checkSlice returns an error if no set has a field, or if it has too many values.
func checkSlice(sets []*Set, field string) error {
	if field == SliceStoreSize {
		return nil
	}
	has := false
	for _, set := range sets {
		values := make(map[string]bool)
		for _, q := range set.Queries {
			if value, ok := q.fields[field]; ok {
				values[value] = true
			}
		}
		if len(values) > maxSlices {
			return fmt.Errorf("%s: the field %q of the queries has %d values, more than %d", set.Name, field, len(values), maxSlices)
		}
		has = has || len(values) > 0
	}
	if !has {
		return fmt.Errorf("no query has the field %q", field)
	}
	return nil
}

// slice groups a set's queries by a field; it returns nothing if no query has it.
func (b *Benchmark) slice(set *Set, field string, runs []NamedRun, queries []string, s scores) []Slice {
	groups := make(map[string][]int) // positions in queries
	order := make(map[string]int)    // of the values
	for i, id := range queries {
		q := set.Queries[set.queries[id]]
		value, ok := q.fields[field]
		switch {
		case field == SliceStoreSize:
			var low int
			low, value = sizeRange(set.stores[q.Store])
			order[value] = low
		case !ok:
			value = noValue
			order[value] = 1
		}
		groups[value] = append(groups[value], i)
	}
	if len(groups) == 1 && groups[noValue] != nil {
		return nil
	}
	values := sortedKeys(groups)
	slices.SortStableFunc(values, func(x, y string) int { return order[x] - order[y] })
	var all []Slice
	for _, value := range values {
		one := Slice{Field: field, Value: value, Queries: len(groups[value])}
		part := make(scores, len(runs))
		for run := range runs {
			for _, i := range groups[value] {
				part[run] = append(part[run], s[run][i])
			}
		}
		paired := measure.NewPaired(part.rows(Measures[:1]), b.Seed)
		for run := range runs {
			one.Runs = append(one.Runs, SliceRun{Name: runs[run].Name, Metrics: mean(part[run]), NDCG10: paired.Mean(run)})
		}
		all = append(all, one)
	}
	return all
}

// sizeRange returns the range of store sizes that n falls in, such as 200–499, and
// its lower end.
func sizeRange(n int) (low int, name string) {
	ends := []int{1, 2, 5}
	for scale := 1; ; scale *= 10 {
		for i, end := range ends {
			low, next := end*scale, 10*scale
			if i+1 < len(ends) {
				next = ends[i+1] * scale
			}
			switch {
			case n >= next:
			case next == 2:
				return 1, "1 document"
			default:
				return low, fmt.Sprintf("%d–%d documents", low, next-1)
			}
		}
	}
}
