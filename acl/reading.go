package acl

import "fmt"

// StoreFacts are what is known of a store.
type StoreFacts struct {
	Number int64 // in rows and indexes; 0: no entry was ever written to it
	Reading
}

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
	Multilingual Label
	// Mixed is the lowest label up to which at least one in twenty of the entries, and
	// ten of them, were foreign: read by the multilingual model and not by the English one;
	// or, above PUBLIC, of a session that asked what makes a store Asked; 0: there is none.
	// Unless a language was chosen, the multilingual model reads every entry from this
	// label on, beside the English one. It never rises.
	Mixed Label
	// Unread is the lowest label of entries that a model has yet to read because the store
	// was Asked, became Mixed or had its language chosen: the English model if
	// LanguageEnglish was chosen, else the multilingual one; 0: there is none. See Whole.
	Unread Label
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
func (r Reading) BothFrom() Label {
	switch {
	case r.Language == LanguageMultilingual:
		return r.Unread
	case r.Language == LanguageEnglish:
		return 0
	case r.Asked:
		return Public
	}
	return r.Mixed
}

// MultilingualFrom returns the lowest label from which on the multilingual model reads
// every entry that has a meaning, alone or beside the English one; 0: there is none.
func (r Reading) MultilingualFrom() Label {
	if r.Language == LanguageMultilingual {
		return Public
	}
	return r.BothFrom()
}

// Within returns what somebody may know who reads entries up to a ceiling.
func (r Reading) Within(ceiling Label) Reading {
	for _, lowest := range [...]*Label{&r.Multilingual, &r.Mixed, &r.Unread} {
		if !lowest.CanFlowTo(ceiling) {
			*lowest = 0
		}
	}
	return r
}

// Language is a choice of models for a store.
type Language uint8

// The choices. With LanguageAuto the English model reads what it can, and the
// multilingual one the rest.
const (
	LanguageAuto Language = iota
	LanguageEnglish
	LanguageMultilingual
)

var languages = [...]string{LanguageAuto: "auto", LanguageEnglish: "english", LanguageMultilingual: "multilingual"}

// String returns auto, english or multilingual.
func (l Language) String() string {
	if int(l) < len(languages) {
		return languages[l]
	}
	return fmt.Sprintf("Language(%d)", uint8(l))
}

// ParseLanguage returns the Language of a name that String returns.
func ParseLanguage(name string) (Language, error) {
	for l, known := range languages {
		if name == known {
			return Language(l), nil
		}
	}
	return 0, fmt.Errorf("language %q is none of auto, english and multilingual", name)
}

// MarshalText implements encoding.TextMarshaler.
func (l Language) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *Language) UnmarshalText(text []byte) (err error) {
	*l, err = ParseLanguage(string(text))
	return err
}

// Models returns the models that read entries of the store, by the names of the Languages
// that choose them: english, multilingual or both.
func (r Reading) Models() []string {
	english, multilingual := LanguageEnglish.String(), LanguageMultilingual.String()
	switch {
	case r.Language == LanguageMultilingual:
		return []string{multilingual}
	case r.Language == LanguageAuto && (r.Asked || r.Multilingual > 0 || r.Mixed > 0):
		return []string{english, multilingual}
	}
	return []string{english}
}

// Why says in a sentence why these Models read the store.
func (r Reading) Why() string {
	switch {
	case r.Language == LanguageEnglish:
		return "English was chosen: the English model reads every entry."
	case r.Language == LanguageMultilingual:
		return "Multilingual was chosen: the multilingual model reads every entry."
	case r.Asked:
		return "It was asked in another language than English: the multilingual model reads every entry, too."
	case r.Mixed > 0:
		return "One in twenty of its entries or more were, or a question above PUBLIC was, in other languages than English: the multilingual model reads the others, too."
	case r.Multilingual > 0:
		return "Its entries in other languages than English are read by the multilingual model."
	}
	return "Nothing in it has needed the multilingual model yet."
}
