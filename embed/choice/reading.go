package choice

import "mneme/acl"

// Reading says which of the two models, the English and the multilingual one, read the
// entries of a store.
type Reading struct {
	// Language is what the store's owner chose.
	Language Language
	// Asked: the store was asked a question that the English model cannot read, by
	// somebody who may write to it. The multilingual model then reads all of its entries,
	// beside the English one.
	Asked bool
	// Multilingual is the lowest label of an entry that has, or had, a vector of the
	// multilingual model; 0: there is none.
	Multilingual acl.Label
	// Mixed is the lowest label up to which at least one in twenty of the entries, and
	// ten of them, were foreign: read by the multilingual model and not by the English one;
	// or, above PUBLIC, of a session that asked what makes a store Asked; 0: there is none.
	// Unless a language was chosen, the multilingual model reads every entry from this
	// label on, beside the English one. It never rises.
	Mixed acl.Label
	// Unread is the lowest label of entries that a model has yet to read because the store
	// was Asked, became Mixed or had its language chosen: the English model if
	// LanguageEnglish was chosen, else the multilingual one; 0: there is none. See Whole.
	Unread acl.Label
}

// Whole reports whether a model has read all that it was to read again. Until it has, an
// entry keeps the vectors of the model that read it before, and what the English model has
// read is to be judged by that model's vectors alone. Entries that are written later wait
// for their vectors, and leave the store whole.
func (r Reading) Whole() bool { return r.Unread == 0 }

// OnlyMultilingual reports whether vectors of the English model no longer count, although
// some may be left: LanguageMultilingual was chosen, and the store is Whole.
func (r Reading) OnlyMultilingual() bool { return r.Language == LanguageMultilingual && r.Whole() }

// OnlyEnglish reports whether vectors of the multilingual model do not count: LanguageEnglish
// was chosen, and the store is Whole.
func (r Reading) OnlyEnglish() bool { return r.Language == LanguageEnglish && r.Whole() }

// BothFrom returns the lowest label from which on the multilingual model reads, beside the
// English one, what is not foreign and has a meaning; 0: there is none. In a store for which
// LanguageMultilingual was chosen these are the entries that are read again, and those above.
func (r Reading) BothFrom() acl.Label {
	switch {
	case r.Language == LanguageMultilingual:
		return r.Unread
	case r.Language == LanguageEnglish:
		return 0
	case r.Asked:
		return acl.Public
	}
	return r.Mixed
}

// MultilingualFrom returns the lowest label from which on the multilingual model reads
// every entry that has a meaning, alone or beside the English one; 0: there is none.
func (r Reading) MultilingualFrom() acl.Label {
	if r.Language == LanguageMultilingual {
		return acl.Public
	}
	return r.BothFrom()
}

// Counts reports whether vectors of a model, Main or Multilingual, count in searches. Some of
// one that does not may be left.
func (r Reading) Counts(model int) bool {
	if model == Multilingual {
		return !r.OnlyEnglish()
	}
	return !r.OnlyMultilingual()
}

// HasRead reports whether a model, Main or Multilingual, may have vectors of the store that
// count.
func (r Reading) HasRead(model int) bool {
	return r.Counts(model) && (model == Main || r.Multilingual > 0)
}

// Within implements acl.Detail: it returns the part of a Reading that those may know who
// read entries up to a ceiling; nil if that is no more than is known of every store.
func (r Reading) Within(ceiling acl.Label) acl.Detail {
	for _, lowest := range [...]*acl.Label{&r.Multilingual, &r.Mixed, &r.Unread} {
		if !lowest.CanFlowTo(ceiling) {
			*lowest = 0
		}
	}
	return r.Detail()
}

// Detail returns a Reading as a storage answers it among a store's facts; nil for the zero
// value, that of most stores.
func (r Reading) Detail() acl.Detail {
	if r == (Reading{}) {
		return nil
	}
	return r
}

// Of returns the Reading among the facts of a store or an access.
func Of(detail acl.Detail) Reading {
	r, _ := detail.(Reading)
	return r
}

// Models returns the models that read entries of the store, by the names of the Languages
// that choose them: english, multilingual or both.
func (r Reading) Models() []string {
	english, multilingual := Name(Main), Name(Multilingual)
	switch {
	case r.Language == LanguageMultilingual:
		return []string{multilingual}
	case r.Language == LanguageAuto && (r.Asked || r.Multilingual > 0 || r.Mixed > 0):
		return []string{english, multilingual}
	}
	return []string{english}
}

// Reason is why a Reading has its Models.
type Reason uint8

// The reasons.
const (
	Nothing            Reason = iota // nothing has needed the multilingual model yet
	ChosenEnglish                    // LanguageEnglish was chosen
	ChosenMultilingual               // LanguageMultilingual was chosen
	WasAsked                         // the store is Asked
	IsMixed                          // the store is Mixed
	HasForeign                       // some entries are Multilingual
)

// Why returns why these Models read the store.
func (r Reading) Why() Reason {
	switch {
	case r.Language == LanguageEnglish:
		return ChosenEnglish
	case r.Language == LanguageMultilingual:
		return ChosenMultilingual
	case r.Asked:
		return WasAsked
	case r.Mixed > 0:
		return IsMixed
	case r.Multilingual > 0:
		return HasForeign
	}
	return Nothing
}
