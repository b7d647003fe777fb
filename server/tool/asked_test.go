package tool_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// asked are questions of agents over small stores, with the key of the entry that ranks
// first, or "" if none is found.
var asked = map[string]struct {
	entries map[string]string // JSON values by key
	first   map[string]string // keys by question
}{
	"about somebody": {
		map[string]string{
			"diet": `"Odile does not eat shellfish."`, "job": `"Odile repairs church organs in Ghent."`, "bike": `"Odile's bicycle was stolen in April."`,
			"boiler": `"The boiler is serviced every October."`, "wifi": `"The router stands behind the piano."`, "cat": `"The neighbour's cat is called Brutus."`,
		},
		map[string]string{
			"what does Odile repair?": "job", "tell me what Odile eats": "diet", "any facts about Odile's bicycle?": "bike",
			"give me the summary on the boiler": "boiler", "do you remember anything about Brutus?": "cat",
			"tell me about Marisol": "", "tell me about Odila": "", "what do you know about Benedikt?": "",
		},
	},
	"members and numbers": {
		map[string]string{
			"pump": `{"device": "heat pump", "flow_temperature": 41.5}`, "lock": `{"bikeLockCode": 7719}`, "trip": `{"from": "Basel", "passengers": 3, "sleeper": true}`,
			"bill": `{"bill": 30412, "payer": "Nwosu"}`, "tea": `"The tea is in the blue tin."`, "song": `"The choir sings on Thursdays."`,
		},
		map[string]string{
			"flow temperature of the heat pump": "pump", "41.5": "pump", "what is the bike lock code?": "lock", "7719": "lock",
			"bill 30412": "bill", "is the trip from Basel by sleeper?": "trip",
		},
	},
	"however they are grouped": {
		map[string]string{
			"vet": `"The vet answers at +31 20 555 0147."`, "rent": `"Rent goes to NL91 ABNA 0417 1643 00."`, "van": `"The van has the plate HG 20531."`,
			"piano": `"The piano cost 3,750.00 francs."`, "nas": `"The NAS has the address 5C:26:0A:7B:11:D2."`, "release": `"Release 2.4.1 broke the importer."`,
		},
		map[string]string{
			"+31205550147": "vet", "020 555 0147": "vet", "NL91ABNA0417164300": "rent", "hg-20531": "van", "HG20531": "van",
			"3750": "piano", "3 750": "piano", "3.750": "piano", "5c260a7b11d2": "nas", "5C-26-0A-7B-11-D2": "nas", "2.4.1": "release", "24.1": "",
		},
	},
	"typing errors": {
		map[string]string{
			"stove": `"The soapstone stove is swept by Kowalczyk."`, "mail": `"The postman rings at the greenhouse."`, "spice": `"Turmeric and coriander are in the drawer."`,
		},
		map[string]string{
			"soapstoen": "stove", "Kowalzcyk": "stove", "posstman": "mail", "greenhose": "mail", "tumeric": "spice", "stve": "stove", "corriander": "spice",
		},
	},
	"letters": {
		map[string]string{
			"invoice": `"The ﬁnal invoice is for ①② chairs."`, "code": `"The code word is ＫＥＳＴＲＥＬ."`, "bold": `"𝐌𝐚𝐫𝐠𝐚𝐫𝐞𝐭 has the spare key."`, "tamil": `"நாய் தோட்டத்தில் உள்ளது"`,
		},
		map[string]string{"final invoice": "invoice", "what is the code word? kestrel": "code", "who has the spare key? Margaret": "bold", "நாய்": "tamil", "পাখি": ""},
	},
	"nothing to go by": {
		map[string]string{"blank": `""`, "lake": `"The boat is on the lake."`},
		map[string]string{"?": "", "…": "", "。": "", "where is the boat?": "lake"},
	},
}

func TestWhatAgentsAskIsAnswered(t *testing.T) {
	for kind, c := range asked {
		t.Run(kind, func(t *testing.T) {
			h := openWithModel(t)
			for key, value := range c.entries {
				h.put(alice, "alice", key, value)
			}
			h.index()
			for question, want := range c.first {
				got, _ := keysOf(h, "memory_search", "query", question)
				if want == "" && len(got) > 0 || want != "" && (len(got) == 0 || got[0] != want) {
					t.Errorf("%s: %q, want %q first", question, got, want)
				}
			}
		})
	}
}

func TestTheEndOfALongQuestionCountsAsItsStart(t *testing.T) {
	h := openWithModel(t)
	for key, value := range map[string]string{
		"ladder": `"The long ladder hangs in the boathouse."`, "drum": `"Drum lessons are on Fridays."`, "plums": `"The freezer is full of plums."`,
	} {
		h.put(alice, "alice", key, value)
	}
	h.index()
	var talk strings.Builder
	for i := range 60 {
		fmt.Fprintf(&talk, "%s %s. ", []string{"The mayor", "Our landlord", "The new teacher", "My cousin"}[i%4], []string{"came late", "wrote a letter", "spoke about taxes", "praised the weather", "wanted more time"}[i%5])
	}
	const question = "Where does the long ladder hang? "
	for place, asked := range map[string]string{"start": question + talk.String(), "end": talk.String() + question} {
		if got, _ := keysOf(h, "memory_search", "query", asked); !slices.Equal(got[:min(1, len(got))], []string{"ladder"}) {
			t.Errorf("asked at the %s: %q", place, got)
		}
	}
}
