package tool

import (
	"fmt"
	"slices"
	"strings"
)

// families are all families, by how much a model can do with one alone. Lists contain the
// first enabled family unless the client asks for others: families overlap, and every
// conversation pays for each.
var families = []Family{FamilyTriggerfish, FamilyMemory, FamilyMAESTRO, FamilyKeyValue}

// AllFamilies asks ParseFamilies for every family.
const AllFamilies = "all"

// ParseFamilies parses the families requested for a list: comma-separated names, or
// AllFamilies; nil for "".
func ParseFamilies(names string) (asked []Family, err error) {
	if names == "" {
		return nil, nil
	}
	for _, name := range strings.Split(names, ",") {
		name = strings.TrimSpace(name)
		switch {
		case name == AllFamilies:
			asked = append(asked, families...)
		case slices.Contains(families, Family(name)):
			asked = append(asked, Family(name))
		default:
			return nil, fmt.Errorf("must be %s, or some of %s, %s, %s and %s with commas between them",
				AllFamilies, FamilyMemory, FamilyTriggerfish, FamilyMAESTRO, FamilyKeyValue)
		}
	}
	return asked, nil
}

// variant is the part of the tools that depends on a caller.
type variant struct {
	sharing bool // the token has the scope share
	paying  bool // a call can pay: from the account, with the scope spend, or with a payment
}

// listed returns the families in a caller's default list. For a caller with the scope share
// they include memory, the only tool that can share.
func (t *Tools) listed(v variant) []Family {
	list := t.listing
	if list == nil {
		if i := slices.IndexFunc(families, func(f Family) bool { return !t.off[f] }); i >= 0 {
			list = families[i : i+1]
		}
		if v.sharing {
			list = append(slices.Clone(list), FamilyMemory)
		}
	}
	return list
}

// Asked returns the definitions that a list of the requested families contains; nil means
// the default list.
func Asked(definitions []Definition, asked []Family) []Definition {
	if asked == nil {
		return definitions
	}
	definitions = slices.Clone(definitions)
	for i, d := range definitions {
		definitions[i].Unlisted = !slices.Contains(asked, d.Family)
	}
	return definitions
}
