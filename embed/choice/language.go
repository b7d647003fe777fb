package choice

import "fmt"

// Language is a choice of models for a store.
type Language uint8

// The choices. With LanguageAuto, the English model embeds the texts that it can read, and the
// multilingual model embeds the others.
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

// ParseLanguage is the inverse of String.
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
