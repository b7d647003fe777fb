package lexical

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestADataURLIsAMark(t *testing.T) {
	picture := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("picture", 43_000)))
	var wrapped strings.Builder // by lines of 76 digits, as MIME has them
	for rest := picture; rest != ""; rest = rest[min(76, len(rest)):] {
		wrapped.WriteString(rest[:min(76, len(rest))] + "\r\n")
	}
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"no data: here; base64, not there", "no data: here; base64, not there"},
		{"Look: data:image/png;base64," + picture + " our cat", "Look: [image/png, 301 kB] our cat"},
		{"![cat](data:image/png;base64," + picture + ")\n\nA cat.", "![cat]([image/png, 301 kB])\n\nA cat."},
		{"data:image/png;base64," + wrapped.String() + "A cat.", "[image/png, 301 kB]\r\nA cat."},
		{"data:text/plain;charset=utf-8;base64,dGVh, data:;base64,dGVh.", "[text/plain, 3 B], [text/plain, 3 B]."},
		{"data:audio/wav;base64," + strings.Repeat("AAAA", 1<<20), "[audio/wav, 3.1 MB]"},
		{"url-safe data:a/b;base64,-_-_ and", "url-safe [a/b, 3 B] and"},
		{`{"url":"data:image\/png;base64,iVBO\/AB\u002B"}`, `{"url":"[image/png, 6 B]"}`},
		{"data:image/png;base64,... is how it begins", "data:image/png;base64,... is how it begins"},
		{"data:image/png,plain", "data:image/png,plain"},
		{"data: a word;base64,AAAA", "data: a word;base64,AAAA"},
		{";base64,AAAA", ";base64,AAAA"},
		{"data:data:image/png;base64,AAAA", "data:[image/png, 3 B]"},
	} {
		if got := MarkDataURLs(c.text); got != c.want {
			t.Errorf("%.60q gives %.200q, want %q", c.text, got, c.want)
		}
		value, err := json.Marshal(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if has := HasDataURL(value); has != (c.text != c.want) {
			t.Errorf("%.60q: HasDataURL is %v", c.text, has)
		}
		if got := TextOf(value); got != c.want {
			t.Errorf("the text of %.60q is %.200q, want %q", c.text, got, c.want)
		}
	}
}

func TestADataURLHasNoTerms(t *testing.T) {
	value := []byte(`{"note":"our cat","images":["data:image/png;base64,aGlkZGVuIHdvcmRz","data:image/gif;base64,b3RoZXIgd29yZHM="]}`)
	doc := Analyze(TextOf(value))
	for _, term := range doc.Terms {
		if len(term.Text) > 3 && strings.Contains("agllzgvuihdvcmrzb3rozxigd29yzhm= data base64", term.Text) {
			t.Errorf("term %q", term.Text)
		}
	}
	if len(doc.Terms) == 0 {
		t.Error("no terms")
	}
}

func FuzzMarkDataURLs(f *testing.F) {
	for _, seed := range []string{
		"a data:image/png;base64,AAAA= b", "data:;base64,A\nB", strings.Repeat(";base64,", 9), strings.Repeat("data:", 9) + ";base64,a",
		"\xffata:;base64,A\nB", // its JSON has data: behind \ufff
		"data:a;base64," + strings.Repeat("a", 76) + "\n" + strings.Repeat("b", 76) + "\nword",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		marked := MarkDataURLs(text)
		if again := MarkDataURLs(marked); again != marked {
			t.Errorf("%q becomes %q and %q", text, marked, again)
		}
		if utf8.ValidString(text) && !utf8.ValidString(marked) {
			t.Errorf("%q becomes %q", text, marked)
		}
		if !strings.Contains(text, ";base64,") && marked != text {
			t.Errorf("%q is no data URL", text)
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid([]byte(MarkDataURLs(string(quoted)))) {
			t.Errorf("%s is JSON no more", quoted)
		}
	})
}
