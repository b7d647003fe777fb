package choice

import "mneme/acl"

// Reading says which of the two models, the English and the multilingual one, read the
// entries of a store.
type Reading struct {
	// Language is what the store's owner chose.
	Language Language
	// Asked: somebody who may write to the store asked it a question that the English model
	// cannot read. The multilingual model then reads all entries of the store, in addition to
	// the English one.
	Asked bool
	// Multilingual is the lowest label of an entry that has, or had, a vector of the
	// multilingual model; 0: there is none.
	Multilingual acl.Label
	// Mixed is a label from which on the multilingual model reads every entry, in addition to
	// the English one, unless a language was chosen; 0: there is none. It is the lowest label
	// with this property: of the entries up to the label, at least one in twenty, and at least
	// ten, were foreign, which means that the multilingual model read them and the English one
	// did not. Mixed is also set by a question that would make the store Asked, in a session
	// above PUBLIC: to the label of the session. It never rises.
	Mixed acl.Label
	// Unread is the lowest label at which some entries still have to be read by a model that
	// did not have to read them before the store was Asked, became Mixed or had its language
	// chosen; 0: there is none. That model is the English one if LanguageEnglish was chosen,
	// and otherwise the multilingual one. See Whole.
	Unread acl.Label
}

// Whole reports whether the model of Unread has read everything that it had to read again.
// Until then an entry keeps the vectors of the model that read it before, and entries that the
// English model has read must be judged by its vectors alone. An entry that is written later
// waits for its own vectors; the store stays whole.
func (r Reading) Whole() bool { return r.Unread == 0 }

// OnlyMultilingual reports whether searches ignore vectors of the English model:
// LanguageMultilingual was chosen, and the store is Whole. Some of these vectors may still
// exist.
func (r Reading) OnlyMultilingual() bool { return r.Language == LanguageMultilingual && r.Whole() }

// OnlyEnglish reports whether searches ignore vectors of the multilingual model:
// LanguageEnglish was chosen, and the store is Whole.
func (r Reading) OnlyEnglish() bool { return r.Language == LanguageEnglish && r.Whole() }

// BothFrom returns the lowest label from which on both models read an entry, provided that it
// is not foreign and has a meaning; 0: there is none. If LanguageMultilingual was chosen, this
// is the case from Unread on.
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

// MultilingualFrom returns the lowest label from which on the multilingual model reads every
// entry that has a meaning, alone or in addition to the English one; 0: there is none.
func (r Reading) MultilingualFrom() acl.Label {
	if r.Language == LanguageMultilingual {
		return acl.Public
	}
	return r.BothFrom()
}

// Counts reports whether searches use vectors of a model, Main or Multilingual. A model whose
// vectors are not used may still have some.
func (r Reading) Counts(model int) bool {
	if model == Multilingual {
		return !r.OnlyEnglish()
	}
	return !r.OnlyMultilingual()
}

// HasRead reports whether a model, Main or Multilingual, may have vectors of the store that
// searches use.
func (r Reading) HasRead(model int) bool {
	return r.Counts(model) && (model == Main || r.Multilingual > 0)
}

// Within implements acl.Detail: it returns the part of a Reading that callers may know who read
// entries up to a ceiling. It returns nil if that part is the zero Reading, which most stores
// have.
func (r Reading) Within(ceiling acl.Label) acl.Detail {
	for _, lowest := range [...]*acl.Label{&r.Multilingual, &r.Mixed, &r.Unread} {
		if !lowest.CanFlowTo(ceiling) {
			*lowest = 0
		}
	}
	return r.Detail()
}

// Detail returns a Reading in the form in which a storage returns it with a store's facts. It
// returns nil for the zero Reading, which most stores have.
func (r Reading) Detail() acl.Detail {
	if r == (Reading{}) {
		return nil
	}
	return r
}

// Of returns the Reading in the Detail of a store's facts or of an access.
func Of(detail acl.Detail) Reading {
	r, _ := detail.(Reading)
	return r
}

// Models returns the names of the models that read entries of the store (see Name): english,
// multilingual or both.
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

// Reason is why a Reading has the Models that it has.
type Reason uint8

// The reasons.
const (
	Nothing            Reason = iota // nothing has needed the multilingual model yet
	ChosenEnglish                    // LanguageEnglish was chosen
	ChosenMultilingual               // LanguageMultilingual was chosen
	WasAsked                         // the store is Asked
	IsMixed                          // the store is Mixed
	HasForeign                       // the multilingual model has read some entries
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
