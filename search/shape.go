package search

import "mneme/memory"

// Shape describes a search to operators: its options and its size, without text, keys,
// agents, stores or operands of filters.
type Shape struct {
	Mode     Mode
	Options  OptionSet
	Limit    int
	Wordings int
	Stores   int // number searched
}

// OptionSet is a set of options of a search.
type OptionSet uint32

// shapeOptions are the options of an OptionSet by their bits, named as in requests.
var shapeOptions = [...]string{
	"stores", memory.OptionNamespace, memory.OptionTags, memory.OptionType, memory.OptionWhere, memory.OptionMatch,
	"ranking", "min_relevance", "max_tokens", "passages", "recency", "diversity", "typos", "nearest", "cursor", "explain", "max_charge",
	memory.OptionTimezone, "dates",
}

// Names returns the names of the options in the set.
func (o OptionSet) Names() []string {
	names := []string{}
	for bit, name := range shapeOptions {
		if o&(1<<bit) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Shape returns the shape of the search; false if it searched no store.
func (a *Answer) Shape() (Shape, bool) {
	q := a.query
	if q == nil {
		return Shape{}, false
	}
	r := &q.request
	shape := Shape{Mode: r.Mode, Limit: r.Limit, Wordings: len(r.wordings()), Stores: q.stores()}
	if shape.Mode == "" {
		shape.Mode = ModeHybrid
	}
	for bit, has := range [...]bool{
		len(r.Stores) > 0, r.Filter.Namespace != nil, len(r.Filter.Tags) > 0, r.Filter.Type != "", r.Filter.Where != nil, r.Filter.Match != nil,
		r.Ranking != "", r.MinRelevance > 0, r.MaxTokens > 0, r.Passages, r.Recency != nil, r.Diversity > 0, r.NoTypos, r.Nearest > 0 && !r.NearestByDefault, r.Cursor != "", r.Explain, r.Purchase.MaxCharge != nil,
		r.Filter.Timezone != "", r.NoDates && r.AsOf == "", r.AsOf != "",
	} {
		if has {
			shape.Options |= 1 << bit
		}
	}
	return shape, true
}
