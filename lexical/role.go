package lexical

import "strings"

// Role is the function of a term in its query.
type Role uint8

const (
	// Sought is a word of the subject of the query.
	Sought Role = iota
	// Asking is a word of the request itself, as in "tell me about", "a summary of" or
	// "what do you know of". Its absence from all entries is no evidence.
	Asking
	// Name is a word capitalized within a sentence, in a language that capitalizes only
	// names. It identifies the subject of the query, even if every entry has it.
	Name
	// Joined is a joined number, code or identifier, in addition to its groups or parts.
	// Its absence from all entries is no evidence. If an entry has the number or code, its
	// groups do not count.
	Joined
)

// nameWeight is the minimum weight of a name as evidence, even if every entry has it.
// docs/decisions/0058-asking.md.
const nameWeight = 0.5

// askingWords are words of requests for memories: what to do, what the answer should be
// like, and what it is called. English first.
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

// germanBit is the bit of German in stopWordLanguages. German capitalizes all nouns, so capitals
// do not mark names.
const germanBit = 1 << 3

// notNames are the stems of words that are capitalized within English sentences but are no
// names.
var notNames = func() map[string]bool {
	words := make(map[string]bool)
	for word := range strings.FieldsSeq(`monday tuesday wednesday thursday friday saturday sunday
january february march april may june july august september october november december`) {
		words[string(stem([]byte(word)))] = true
	}
	return words
}()

// roleOf returns the role of a word of a query. name reports whether it is capitalized
// like a name.
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
