package language

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestForeignTexts(t *testing.T) {
	for _, code := range slices.Sorted(maps.Keys(foreignTexts)) {
		if n := len(foreignTexts[code]); n < 10 {
			t.Errorf("%s: %d texts, want 10", code, n)
		}
		for _, text := range foreignTexts[code] {
			if !Foreign(text) {
				t.Errorf("%s: %q is not foreign: %v", code, text, Of(text))
			}
		}
	}
}

// Danish and Norwegian, Czech and Slovak, Spanish and Catalan share most of their words: a
// short text may be mistaken for the sister language.
func TestLanguageOfShortTexts(t *testing.T) {
	for _, code := range slices.Sorted(maps.Keys(foreignTexts)) {
		right := 0
		for _, text := range foreignTexts[code] {
			if guess := Of(text); guess.Language == code {
				right++
			} else {
				t.Logf("%s: %q is %v", code, text, guess)
			}
		}
		if n := len(foreignTexts[code]); right*10 < n*6 {
			t.Errorf("%s: %d of %d", code, right, n)
		}
	}
}

// A text of another language with English terms is foreign, an English text with a
// quotation is not. The guess is the language of most of their words.
func TestMixedTexts(t *testing.T) {
	for text, want := range map[string]Guess{
		"Bitte das Feature mit einem feature flag deployen und den rollback dokumentieren.":         {"de", true},
		"Il faut relancer le build avec --no-cache et vérifier le healthcheck.":                     {"fr", true},
		"運用チームは Kubernetes と PostgreSQL を使っている":                                                     {"ja", true},
		"The note says \"Der Schlüssel liegt unter der Matte\" and it was there when we came home.": {"en", true},
		"Anna": {},
	} {
		if guess := Of(text); guess != want {
			t.Errorf("%q is %v, want %v", text, guess, want)
		}
	}
}

func TestLanguagesOfScripts(t *testing.T) {
	for text, want := range map[string]string{
		"Що ми вирішили?": "uk", "Где мы живём?": "ru", "Къде живее Анна?": "bg", "Где живи Љубица?": "sr",
		"کجا زندگی می کنید؟": "fa", "آپ کہاں رہتے ہیں؟": "ur", "أين تسكن؟": "ar",
		"什么时候开会？": "zh", "いつ会議がありますか": "ja", "회의가 언제예요?": "ko", "எங்கே வசிக்கிறீர்கள்?": "ta", "სად ცხოვრობ?": "ka", "Պանրը որտե՞ղ է": "hy",
	} {
		if guess := Of(text); guess != (Guess{want, true}) {
			t.Errorf("%q is %v, want %s", text, guess, want)
		}
	}
}

func TestNormalizationDoesNotChangeTheGuess(t *testing.T) {
	all := slices.Concat(slices.Collect(maps.Values(foreignTexts))...)
	for _, text := range append(all, englishTexts...) {
		if composed, decomposed := Of(norm.NFC.String(text)), Of(norm.NFD.String(text)); decomposed != composed {
			t.Errorf("%q is %v, decomposed %v", text, composed, decomposed)
		}
	}
}

func TestOfReadsTheBeginning(t *testing.T) {
	long := strings.Repeat("The cat is on the mat and it is happy. ", 300) + strings.Repeat("Der Hund liegt unter dem Tisch. ", 3000)
	if guess := Of(long); guess.Language != "en" {
		t.Errorf("a text that begins in English is %v", guess)
	}
}

func TestEnglishTexts(t *testing.T) {
	for _, text := range englishTexts {
		if Foreign(text) {
			t.Errorf("%q is foreign: %v", text, Of(text))
		}
	}
}

func BenchmarkForeign(b *testing.B) {
	for name, text := range map[string]string{
		"english": "Anna carries an adrenaline pen in the blue bag, since she is allergic to peanuts.",
		"german":  foreignTexts["de"][0],
		"chinese": foreignTexts["zh"][0],
		"long":    strings.Repeat("The patients of the study were treated with a new method. ", 200),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Foreign(text)
			}
		})
	}
}

func FuzzOf(f *testing.F) {
	for _, texts := range foreignTexts {
		f.Add(texts[0])
	}
	for _, text := range englishTexts {
		f.Add(text)
	}
	f.Add("\xff\xfe'’l'l’\xe2\x80ъ")
	f.Fuzz(func(t *testing.T, text string) {
		guess := Of(text)
		if guess.Sure && guess.Language == "" && !Foreign(text) {
			t.Errorf("%q: surely no language", text)
		}
		if Foreign(text) != (guess.Sure && guess.Language != "en") {
			t.Errorf("%q: foreign is %v, but the guess %v", text, Foreign(text), guess)
		}
		if len(text) < maxRead && utf8.ValidString(text) && Foreign(text) != Foreign(" "+text+"\n") {
			t.Errorf("%q: white space around it changes the guess", text)
		}
	})
}

func TestNamesNumbersAndCodeAreNeitherEnglishNorForeign(t *testing.T) {
	for text, want := range map[string]bool{
		"The night train does not arrive until after midnight.": true,
		"We moved the standup to ten, because of the school.":   true,
		"Der Nachtzug kommt erst nach Mitternacht an.":          false,
		"Marcus Lindqvist, +46 8 123 456":                       false,
		"listen_port: 7077":                                     false,
		"Zagreb Ljubljana Sarajevo":                             false,
		"قطار الليل يصل بعد منتصف الليل":                        false,
		"": false,
	} {
		if got := English(text); got != want {
			t.Errorf("%q: English is %v", text, got)
		}
	}
}
