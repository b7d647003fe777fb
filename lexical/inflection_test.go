package lexical

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// questionFinds reports whether a question matches an entry by a word or a variant.
func questionFinds(entry, question string) bool {
	doc := Analyze(entry)
	return slices.ContainsFunc(ParseQuery(question), func(q QueryTerm) bool {
		return slices.ContainsFunc(doc.Terms, func(t Term) bool { return t.Text == q.Text })
	})
}

// In each row the entry has another form of the question's word: plural, case, or form of
// a verb. Without stems the two would not match.
func TestInflectionsMatch(t *testing.T) {
	for _, row := range []struct{ language, entry, question string }{
		{"da", "Børnene sover hos mormor.", "Hvilket barns børn?"},
		{"da", "Cyklerne står bag huset.", "Hvor er hendes cykel, cyklens lås?"},
		{"de", "Die Häuser gehören der Stadt.", "Wem gehört das Haus?"},
		{"de", "Er trägt eine rote Mütze.", "Welche Mützen?"},
		{"de", "Die Verträge liegen im Safe.", "Wo liegt der Vertrag?"},
		{"es", "Sus canciones son muy tristes.", "¿Qué canción es triste?"},
		{"es", "Compramos naranjas para la tarta.", "¿Qué compraron para la cena?"},
		{"fi", "Veneet ovat telakalla.", "Missä on veneen avain?"},
		{"fi", "Talossa on kolme huonetta.", "Kenen talon huone se on?"},
		{"fr", "Les chevaux dorment dans le pré.", "Où dort le cheval ?"},
		{"fr", "Elle préférait les vacances actives.", "Que préfère-t-elle ?"},
		{"hu", "A kutyák a kertben vannak.", "Hol van a kutyám?"},
		{"it", "Le canzoni di Mina le piacciono molto.", "Quale canzone le piace?"},
		{"nl", "De fietsen staan in de schuur.", "Waar staat mijn fiets?"},
		{"no", "Nøklene ligger i skuffen.", "Hvor er nøkkelen til skuffene?"},
		{"pt", "As consultas são às segundas, sempre curtas.", "Onde consultar um médico?"},
		{"ro", "Cărțile trebuie returnate la bibliotecă.", "Unde este cartea de returnat?"},
		{"ro", norm.NFD.String("Asigurarea casei expiră în martie."), "Când expirau toate?"},
		{"sv", "Bilarna står på gatan.", "Var står bilen?"},
		{"tr", "Evleri denize bakıyor.", "Onun evi nerede?"},
		{"he", "יש לה אלרגיה לבוטנים.", "בוטנים"},
		{"he", "הגענו לבית של דנה.", "איפה הבית"},
		{"ar", "وصلنا بالحافلة.", "حافلة"},
		{"ar", "تحدث لمدير المدرسة.", "مدير"},
	} {
		if !questionFinds(row.entry, row.question) {
			t.Errorf("%s: %q does not find %q", row.language, row.question, row.entry)
		}
	}
}

// An entry is found whatever the guess of its language: by the word as written, and by the
// stems of languages mistaken for each other.
func TestInflectionsMatchAcrossKin(t *testing.T) {
	for entry, question := range map[string]string{
		"Bilerne er solgt.":      "Hva skjedde med bilen?", // Danish and Norwegian
		"Versicherung: HUK 2291": "Versicherung",           // a text whose language is unknown
		"Kühlschrank":            "Kühlschrank",
	} {
		if !questionFinds(entry, question) {
			t.Errorf("%q does not find %q", question, entry)
		}
	}
}

// English texts and questions have no stems of other languages.
func TestEnglishHasNoStemVariants(t *testing.T) {
	for _, text := range []string{
		"Anna carries an adrenaline pen in the blue bag.", "The café in Zürich was closed.", "docker compose up -d", "Prefers window seats", "She said \"bonjour\" to the doorman.",
	} {
		for _, term := range Analyze(text, "notes/anna", "", "travel").Terms {
			if isVariant(term.Text) {
				t.Errorf("%q has %q", text, term.Text)
			}
		}
	}
	for _, query := range []string{"Where does Anna like to sit?", "window seats", "what did we decide about the offer"} {
		for _, term := range ParseQuery(query) {
			if term.Variant {
				t.Errorf("%q looks for %q", query, term.Text)
			}
		}
	}
}

// Stems do not count for the document length of BM25.
func TestStemsDoNotCountForTheLength(t *testing.T) {
	doc := Analyze("Die Häuser gehören der Stadt.")
	if doc.Length != 5 {
		t.Errorf("length %d, want 5", doc.Length)
	}
}

// A word and its stems have one weight: an entry with both has the same score as one with
// either, by the largest document frequency of them.
func TestAWordAndItsStemsHaveOneWeight(t *testing.T) {
	query := []QueryTerm{{Text: "hauser", Weight: 1}, {Text: "stadt", Weight: 1}, QueryTerm{Text: "hauser", Weight: 1}.variant("~haus", stemShare, 1)}
	s := NewScorer(Stats{Documents: 10, Length: 100}, query, []int64{1, 2, 4})
	both, stem, word := s.Score([]int{1, 0, 1}, 10), s.Score([]int{0, 0, 1}, 10), s.Score([]int{1, 0, 0}, 10)
	if both != stem || stem != word || word <= 0 {
		t.Errorf("both %v, the stem %v, the word %v", both, stem, word)
	}
	alone := NewScorer(Stats{Documents: 10, Length: 100}, query[:1], []int64{4})
	if got, want := s.Weight(0), alone.Weight(0); got != want {
		t.Errorf("weight %v, want the stem's, %v", got, want)
	}
	if got, want := s.TotalWeight(), s.Weight(0)+s.Weight(1); got != want {
		t.Errorf("total weight %v, want %v", got, want)
	}
	if got, want := s.Coverage([]int{0, 0, 1}, 10), s.Coverage([]int{1, 0, 1}, 10); got != want || got <= 0 || got >= 1 {
		t.Errorf("coverage %v by the stem, %v by both", got, want)
	}
	if unknown := NewScorer(Stats{Documents: 10, Length: 100}, query, []int64{0, 2, 4}); !unknown.Known(0) {
		t.Error("a word whose stem a document has is not known")
	}
}

// A compound counts less than the word itself, and does not change the word's weight.
func TestCompoundsCountLess(t *testing.T) {
	word := QueryTerm{Text: "versicherung", Weight: 1}
	stem := word.variant("~versicher", stemShare, compoundBits)
	query := []QueryTerm{word, stem.compound("~haftpflichtversicher"), stem}
	s := NewScorer(Stats{Documents: 100, Length: 1000}, query, []int64{3, 1, 3})
	own, compound := s.Score([]int{1, 0, 1}, 10), s.Score([]int{0, 1, 0}, 10)
	if compound <= 0 || compound >= own {
		t.Errorf("the compound scores %v, the word %v", compound, own)
	}
	if without := NewScorer(Stats{Documents: 100, Length: 1000}, []QueryTerm{word, stem}, []int64{3, 3}); without.Weight(0) != s.Weight(0) {
		t.Errorf("the word weighs %v, without the compound %v", s.Weight(0), without.Weight(0))
	}
	if s.Coverage([]int{0, 1, 0}, 10) >= s.Coverage([]int{1, 0, 1}, 10) {
		t.Error("the compound covers as much as the word")
	}
	only := NewScorer(Stats{Documents: 100, Length: 1000}, query, []int64{0, 1, 0})
	if !only.Known(0) || only.Coverage([]int{0, 1, 0}, 10) <= 0 {
		t.Error("a compound alone does not stand for the word")
	}
}

// compoundsOf returns the words of texts that match as compounds of a question's word.
func compoundsOf(question string, texts ...string) (found []string) {
	doc := Analyze(strings.Join(texts, " "))
	withPrefix := func(prefix string) (terms []string) {
		for _, t := range doc.Terms {
			if strings.HasPrefix(t.Text, prefix) {
				terms = append(terms, t.Text)
			}
		}
		return terms
	}
	for _, stem := range Compoundable(ParseQuery(question)) {
		for _, c := range slices.Concat(stem.EndingWith(withPrefix(stem.EndPrefix())), stem.BeginningWith(withPrefix(stem.Text))) {
			if !slices.Contains(found, c.Text) {
				found = append(found, c.Text)
			}
		}
	}
	slices.Sort(found)
	return found
}

func TestCompounds(t *testing.T) {
	const german = "Die Haftpflichtversicherung und der Versicherungsvertrag, das Autoschlüsselbrett und der Zahnarzttermin, eine Terrasse, der Automat, die Schulter und der Traum."
	for question, want := range map[string]string{
		"Welche Versicherung haben wir?":     "~haftpflichtversicher ~versicherungsvertrag",
		"Wann ist der Termin beim Zahnarzt?": "~zahnarzttermin",
		"Wie ist der Raum der Schule?":       "", // not in "Traum" and "Schulter"
		"Wo steht das Auto?":                 "~autoschlusselbrett",
	} {
		if got := strings.Join(compoundsOf(question, german), " "); got != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}

func TestPartsOfCompounds(t *testing.T) {
	var stem QueryTerm
	for _, s := range Compoundable(ParseQuery("Wo ist die Haftpflichtversicherung?")) {
		stem = s
	}
	begins, ends := stem.Parts()
	has := func(terms []QueryTerm, text string) bool {
		return slices.ContainsFunc(terms, func(t QueryTerm) bool { return t.Text == text })
	}
	if !has(begins, "~haftpflicht") || !has(ends, "~versicher") || has(ends, "~her") {
		t.Errorf("begins %v, ends %v", begins, ends)
	}
	if len(begins)+len(ends) > 2*len(stem.Text) {
		t.Errorf("%d parts", len(begins)+len(ends))
	}
}
