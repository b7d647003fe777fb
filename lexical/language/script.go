package language

import "unicode"

// script is a script, or a group of scripts counted as one.
type script uint8

const (
	latinScript script = iota
	cyrillic
	greek
	arabic
	hebrew
	han
	kana
	hangul
	thai
	lao
	khmer
	burmese
	devanagari
	bengali
	tamil
	telugu
	kannada
	malayalam
	gujarati
	gurmukhi
	sinhala
	georgian
	armenian
	ethiopic
	otherScript // of unknown language
	scriptCount
)

// scriptLanguages maps each script to its only or most common language, "" if none is
// known.
var scriptLanguages = [scriptCount]string{
	cyrillic: "ru", greek: "el", arabic: "ar", hebrew: "he", han: "zh", kana: "ja", hangul: "ko",
	thai: "th", lao: "lo", khmer: "km", burmese: "my", devanagari: "hi", bengali: "bn", tamil: "ta", telugu: "te",
	kannada: "kn", malayalam: "ml", gujarati: "gu", gurmukhi: "pa", sinhala: "si", georgian: "ka", armenian: "hy", ethiopic: "am",
}

// ranges are the scripts above Latin by their code points, ascending. They contain the
// letters in use; historic letters are otherScript.
var ranges = [...]struct {
	first, last rune
	script      script
}{
	{0x0370, 0x03FF, greek},
	{0x0400, 0x052F, cyrillic},
	{0x0531, 0x058F, armenian},
	{0x0591, 0x05F4, hebrew},
	{0x0600, 0x06FF, arabic},
	{0x0750, 0x077F, arabic},
	{0x08A0, 0x08FF, arabic},
	{0x0900, 0x097F, devanagari},
	{0x0980, 0x09FF, bengali},
	{0x0A00, 0x0A7F, gurmukhi},
	{0x0A80, 0x0AFF, gujarati},
	{0x0B80, 0x0BFF, tamil},
	{0x0C00, 0x0C7F, telugu},
	{0x0C80, 0x0CFF, kannada},
	{0x0D00, 0x0D7F, malayalam},
	{0x0D80, 0x0DFF, sinhala},
	{0x0E00, 0x0E7F, thai},
	{0x0E80, 0x0EFF, lao},
	{0x1000, 0x109F, burmese},
	{0x10A0, 0x10FF, georgian},
	{0x1100, 0x11FF, hangul},
	{0x1200, 0x139F, ethiopic},
	{0x1780, 0x17FF, khmer},
	{0x1E00, 0x1EFF, latinScript},
	{0x1F00, 0x1FFF, greek},
	{0x3041, 0x30FF, kana},
	{0x3130, 0x318F, hangul},
	{0x3400, 0x9FFF, han},
	{0xAC00, 0xD7AF, hangul},
	{0xF900, 0xFAFF, han},
	{0xFF66, 0xFF9F, kana},
	{0x20000, 0x323AF, han},
}

// scriptOf returns the script of a letter.
func scriptOf(r rune) script {
	if r < 0x0300 {
		return latinScript
	}
	low, high := 0, len(ranges)
	for low < high {
		if mid := (low + high) / 2; r > ranges[mid].last {
			low = mid + 1
		} else {
			high = mid
		}
	}
	switch {
	case low < len(ranges) && r >= ranges[low].first:
		return ranges[low].script
	case unicode.Is(unicode.Latin, r):
		return latinScript
	}
	return otherScript
}

// scriptsOf are the scripts of the languages that do not use Latin.
var scriptsOf = func() map[string]script {
	scripts := map[string]script{
		"uk": cyrillic, "be": cyrillic, "sr": cyrillic, "mk": cyrillic, "bg": cyrillic, "kk": cyrillic,
		"ur": arabic, "fa": arabic, "mr": devanagari, "ja": han,
	}
	for s, code := range scriptLanguages {
		if code != "" && code != "ja" {
			scripts[code] = script(s)
		}
	}
	return scripts
}()

// SameScript reports whether two languages, given as ISO 639-1 codes, have the same
// script. Chinese and Japanese count as one.
func SameScript(a, b string) bool { return scriptsOf[a] == scriptsOf[b] }

// weight returns how many letters of an alphabet one letter of the script is worth.
func (s script) weight() int {
	if s == han {
		return 4
	}
	if s == kana || s == hangul {
		return 2
	}
	return 1
}

// hint is a set of findings that distinguish languages of a script.
type hint uint16

const (
	ukrainian  hint = 1 << iota // і ї є ґ
	belarusian                  // ў
	serbian                     // ј љ њ ћ ђ
	macedonian                  // ѓ ќ ѕ
	kazakh                      // ә ғ қ ң ө ұ ү һ
	russian                     // ы э ё
	persian                     // پ چ ژ گ ک ی
	urdu                        // ٹ ڈ ڑ ے ں ہ
	marathi                     // ळ
	bulgarian                   // ъ in a position where Russian has none
)

// hintOf returns the hint of a letter.
func hintOf(r rune) hint {
	switch r {
	case 'і', 'ї', 'є', 'ґ', 'І', 'Ї', 'Є', 'Ґ':
		return ukrainian
	case 'ў', 'Ў':
		return belarusian
	case 'ј', 'љ', 'њ', 'ћ', 'ђ', 'Ј', 'Љ', 'Њ', 'Ћ', 'Ђ':
		return serbian
	case 'ѓ', 'ќ', 'ѕ':
		return macedonian
	case 'ә', 'ғ', 'қ', 'ң', 'ө', 'ұ', 'ү', 'һ':
		return kazakh
	case 'ы', 'э', 'ё', 'Ы', 'Э', 'Ё':
		return russian
	case 'پ', 'چ', 'ژ', 'گ', 'ک', 'ی':
		return persian
	case 'ٹ', 'ڈ', 'ڑ', 'ے', 'ں', 'ہ':
		return urdu
	case 'ळ':
		return marathi
	}
	return 0
}

const (
	// minForeignLetters is the minimum weight of letters of another script, so that a
	// single symbol such as π or Δ does not count.
	minForeignLetters = 2
	// quotedShare is the percentage of letters of other scripts at which a text without an
	// English word is in their language.
	quotedShare = 20
)

// byScript returns the language of the text's script, and whether the text is in a script
// other than Latin: most of its letters are, or a fifth if no word is English (code in a
// Chinese sentence).
func (e *evidence) byScript() (code string, ok bool) {
	var all, others int
	for s, n := range e.scripts {
		all += n
		if script(s) != latinScript {
			others += n
		}
	}
	if others < minForeignLetters {
		return "", false
	}
	if mostly := others > all-others; !mostly && (e.english > 0 || others*100 < quotedShare*all) {
		return "", false
	}
	return e.languageOf(e.mainScript()), true
}

// mainScript returns the most frequent script other than Latin.
func (e *evidence) mainScript() script {
	best := cyrillic
	for s := cyrillic; s < scriptCount; s++ {
		if e.scripts[s] > e.scripts[best] {
			best = s
		}
	}
	return best
}

// languageOf returns the language of a script, by the letters that occurred.
func (e *evidence) languageOf(s script) string {
	switch {
	case s == han && e.scripts[kana]*10 >= e.scripts[han]: // a kana for every five characters
		return "ja"
	case s == cyrillic:
		return e.cyrillicLanguage()
	case s == arabic && e.hints&urdu != 0:
		return "ur"
	case s == arabic && e.hints&persian != 0:
		return "fa"
	case s == devanagari && e.hints&marathi != 0:
		return "mr"
	}
	return scriptLanguages[s]
}

func (e *evidence) cyrillicLanguage() string {
	switch {
	case e.hints&kazakh != 0:
		return "kk"
	case e.hints&belarusian != 0:
		return "be"
	case e.hints&macedonian != 0:
		return "mk"
	case e.hints&serbian != 0:
		return "sr"
	case e.hints&ukrainian != 0 && e.hints&russian == 0:
		return "uk"
	case e.hints&russian == 0 && e.hints&bulgarian != 0:
		return "bg"
	}
	return "ru"
}
