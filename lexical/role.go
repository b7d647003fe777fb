package lexical

import "strings"

// Role is what a term does in its query.
type Role uint8

const (
	// Sought is a word of what is looked for.
	Sought Role = iota
	// Asking is a word of the request itself, such as those of "tell me about", "a
	// summary of" or "what do you know of". That no entry has it says nothing.
	Asking
	// Name is a word that is capitalized within a sentence, of a language that
	// capitalizes names alone. It says whom or what the query is about, also where
	// every entry has it.
	Name
	// Joined is a number, code or identifier in one piece, beside its groups or parts. That
	// no entry has it says nothing, and of a number or code that one has, the groups do not
	// count.
	Joined
)

// nameWeight is the weight of a name as evidence, at least: also one that every entry
// has. docs/decisions/0058-asking.md.
const nameWeight = 0.5

// askingWords are words in which people ask for what is remembered: what they want done,
// what it should be like, and what it is called. English first.
//
//nolint:misspell // not all of them are English
const askingWords = `
tell show give list find get look search recall remember remind know describe explain summarize summarise outline mention say
talk speak discuss chat share provide present display return bring pull fetch retrieve collect gather compile read check review
refresh recap catch fill brief introduce elaborate expand learn understand hear help need want let keep store note know
fact summary overview detail information info background profile description knowledge memory mind note record
context history story news update status recap briefing rundown dossier digest gist highlight point insight report snapshot
speed data material topic subject matter aspect basics essentials
everything anything something nothing thing stuff
key main important relevant related useful necessary known general basic complete full entire whole short quick brief detailed further
current latest recent lately
please regarding relate like
erzahl erzahle sag sage zeig zeige gib liste nenne weisst wissen infos informationen zusammenfassung uberblick alles etwas fakten notizen
dis parle raconte montre donne liste sais savez informations resume apercu tout faits notes
dime cuentame muestra dame lista sabes sabe informacion resumen todo datos notas
dimmi raccontami mostra dammi elenca sai informazioni riassunto tutto fatti
diga conte mostre lista sabe informacoes resumo tudo fatos
vertel toon geef lijst weet informatie samenvatting alles feiten notities`

var asking = func() map[string]bool {
	words := make(map[string]bool)
	for word := range strings.FieldsSeq(askingWords) {
		words[string(stem([]byte(word)))] = true
	}
	return words
}()

// germanBit is the language whose capitals say nothing about names.
const germanBit = 1 << 3

// notNames are capitalized within English sentences and name nobody. Their stems.
var notNames = func() map[string]bool {
	words := make(map[string]bool)
	for word := range strings.FieldsSeq(`monday tuesday wednesday thursday friday saturday sunday
january february march april may june july august september october november december`) {
		words[string(stem([]byte(word)))] = true
	}
	return words
}()

// roleOf returns the role of a word of a query, which may be capitalized like a name.
func (a *analysis) roleOf(folded []byte, name bool) Role {
	stemmed := a.stem(folded)
	switch {
	case asking[string(stemmed)]:
		return Asking
	case name && len(folded) > 1 && !notNames[string(stemmed)] && a.language != germanBit:
		return Name
	}
	return Sought
}
