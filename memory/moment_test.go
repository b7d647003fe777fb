package memory_test

import (
	"testing"
	"time"

	"mneme/memory"
)

func TestMomentsRoundTrip(t *testing.T) {
	for text, header := range map[string]string{
		"2023": "2023", "2023-05": "May 2023", "2023-05-08": "8 May 2023", "2023-05-08T13:56:00Z": "8 May 2023", "0001": "0001", "9999-12": "December 9999", "": "",
	} {
		m, err := memory.ParseMomentIn(text, time.FixedZone("", -12*3600))
		if err != nil || m.String() != text || m.IsZero() != (text == "") {
			t.Errorf("%q: %v, %v", text, m, err)
		}
		if got := memory.ChunkHeader(&memory.Entry{OccurredAt: m}); got != header {
			t.Errorf("the header of %q is %q", text, got)
		}
	}
}

func TestReadMomentAcceptsOnlyValidYears(t *testing.T) {
	for text, want := range map[string]string{"June 30, 2026": "2026-06-30", "2026/06/30 09:00": "2026-06-30T07:00:00Z", "0000-06-30": "", "0001-01-01T00:00:00Z": "", "soon": ""} {
		m, ok := memory.ReadMoment(text, time.FixedZone("", 2*3600))
		if ok != (want != "") || ok && m.String() != want {
			t.Errorf("%q: %v, %v, want %q", text, m, ok, want)
		}
	}
}
