package main

import (
	"slices"
	"strings"
	"testing"

	"mneme/clients/go/api"
)

func TestHighlightsAreBoldOnlyOnATerminal(t *testing.T) {
	hit := api.Hit{
		Value: []byte(`"The parrot \u001b[31mof\nOtto \ufdd0is green."`), Highlights: &api.Ranges{{4, 10}},
	}
	if got := hitTexts(hit, false); !slices.Equal(got, []string{"The parrot [31mof Otto is green."}) {
		t.Errorf("%q", got)
	}
	if got := hitTexts(hit, true); !slices.Equal(got, []string{"The \x1b[1mparrot\x1b[22m [31mof Otto is green."}) {
		t.Errorf("%q", got)
	}
	picture := api.Hit{Value: []byte(`"a map: data:image/png;base64,` + strings.Repeat("QUJD", 999) + ` of the yard"`), Highlights: &api.Ranges{{2, 5}}}
	if got := hitTexts(picture, true); !slices.Equal(got, []string{"a \x1b[1mmap\x1b[22m: [image/png, 2 kB] of the yard"}) {
		t.Errorf("%q", got)
	}
	hit.Passages = &[]api.Passage{{Text: "Otto's parrots\neat.", Highlights: &api.Ranges{{0, 6}, {7, 14}}}, {Text: "So it is.", Highlights: &api.Ranges{{5, 99}}}}
	if got := hitTexts(hit, true); !slices.Equal(got, []string{"… \x1b[1mOtto's\x1b[22m \x1b[1mparrots\x1b[22m eat. …", "… So it is. …"}) {
		t.Errorf("%q", got)
	}
	// A truncated highlight ends with the text.
	long := api.Hit{Value: []byte(`"` + strings.Repeat("x", 300) + `"`), Highlights: &api.Ranges{{100, 300}}}
	if got := hitTexts(long, true)[0]; strings.Count(got, "\x1b[1m") != 1 || !strings.HasSuffix(got, "\x1b[22m") {
		t.Errorf("%q", got)
	}
}
