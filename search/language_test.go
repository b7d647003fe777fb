package search_test

import (
	"slices"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// languageEntries are notes in several languages, in one store.
var languageEntries = map[string]string{
	"de/policy":   "Die Haftpflichtversicherung läuft bei der Huk bis März.",
	"de/charger":  "Das Ladegerät liegt in der Schublade, der Akkulader im Keller.",
	"de/houses":   "Die Häuser am Hafen gehören der Stadt.",
	"de/key":      "Der Schlüssel hängt hinter der Tür.",
	"nl/bike":     "De fietssleutel ligt in de keukenla.",
	"nl/children": "De kinderen spelen op woensdag; de fietsen staan in de schuur.",
	"sv/licence":  "Hennes körkort förnyades i december.",
	"da/nut":      "Barnet er allergisk over for jordnødder og mælk.",
	"no/flat":     "Leiligheten vår ligger ved siden av jernbanestasjonen.",
	"fi/boat":     "Veneemme on telakalla huhtikuuhun asti.",
	"fr/horses":   "Les chevaux dorment dans l'écurie du village.",
	"es/keys":     "Las llaves están en el cajón de la cocina.",
	"it/songs":    "Le canzoni preferite di Marta sono quelle di Mina.",
	"pt/appoint":  "As consultas do dentista ficam sempre à tarde.",
	"ro/books":    "Cărțile de la bibliotecă trebuie returnate luni.",
	"hu/dog":      "A kutyánk nem szereti a mennydörgést.",
	"tr/houses":   "Evleri denize bakan bir sokakta.",
	"he/nuts":     "יש לה אלרגיה לבוטנים ולשקדים.",
	"ar/school":   "ذهبت البنات إلى المدرسة بالحافلة.",
	"en/window":   "Anna likes the window seat on trains.",
	"en/painting": "The painter sold two paintings at the port.",
}

func TestWordsOfLanguagesAreFound(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		for key, note := range languageEntries {
			h.PutText(a, "a", key, note, 201)
		}
		h.Index()
		for query, want := range map[string]string{
			"Welche Versicherung haben wir?":   "de/policy", // the end of a compound
			"Haftpflicht bei welcher Firma?":   "de/policy", // its beginning
			"Wo ist der Autoschlüssel?":        "de/key",    // a compound; the entry has a part of it
			"Wem gehört das Haus?":             "de/houses",
			"Waar is de sleutel van het slot?": "nl/bike",
			"Waar staat mijn fiets?":           "nl/children",
			"När ska hon förnya körkortet?":    "sv/licence",
			"Tåler barnet nødder?":             "da/nut",
			"Hvor er stasjonen?":               "no/flat",
			"Missä vene on?":                   "fi/boat",
			"Où dort le cheval ?":              "fr/horses",
			"¿Dónde está la llave?":            "es/keys",
			"Qual è la canzone preferita?":     "it/songs",
			"Quando é a consulta?":             "pt/appoint",
			"Ce carte trebuie returnată?":      "ro/books",
			"Mit nem szeretnek a kutyák?":      "hu/dog",
			"בוטנים":                           "he/nuts",
			"מה עם השקדים?":                    "he/nuts",
			"حافلة":                            "ar/school",
			"Which seat does she like?":        "en/window",
			"What did the painter do?":         "en/painting",
		} {
			found := h.MustSearch(a, search.Request{Query: query, Mode: search.ModeLexical})
			if got := keys(found); len(got) == 0 || got[0] != want {
				t.Errorf("%q finds %v, want %s", query, got, want)
			}
		}
	})
}

// If a stem or a compound of the question matches, the word in the text is highlighted.
func TestInflectedWordsAreHighlighted(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		for _, key := range []string{"de/policy", "fr/horses", "he/nuts"} {
			h.PutText(a, "a", key, languageEntries[key], 201)
		}
		h.Index()
		for query, want := range map[string]string{
			"Welche Versicherung haben wir?": "Haftpflichtversicherung", "Où dort le cheval ?": "chevaux", "בוטנים": "לבוטנים",
		} {
			found := h.MustSearch(a, search.Request{Query: query, Mode: search.ModeLexical, Passages: true})
			var marked []string
			err := found.Values().Each(background, func(hit *search.Hit) error {
				for _, at := range hit.Highlights {
					marked = append(marked, languageEntries[hit.Key][at[0]:at[1]])
				}
				return nil
			})
			must(h, err)
			if !slices.Contains(marked, want) {
				t.Errorf("%q marks %q, want %s", query, marked, want)
			}
		}
	})
}

// Entries in another language do not change the hits of an English question: English entries
// have no stems of other languages.
func TestEnglishAnswersDoNotDependOnOtherLanguages(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		for _, key := range []string{"en/window", "en/painting"} {
			h.PutText(a, "a", key, languageEntries[key], 201)
		}
		h.Index()
		for _, query := range []string{"trainer", "porta", "Malerei", "windows", "sitz"} {
			found := h.MustSearch(a, search.Request{Query: query, Mode: search.ModeLexical, NoTypos: true})
			want := map[string][]string{"windows": {"en/window"}}[query]
			if got := keys(found); !slices.Equal(got, want) {
				t.Errorf("%q finds %v, want %v", query, got, want)
			}
		}
	})
}
