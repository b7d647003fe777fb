package main

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"mneme/cmd/mneme/foldersync"
)

// Files of Windows programs are read by their byte order mark, and written back in the
// same encoding, even if their entry wins a conflict.
func TestSyncKeepsTheEncodingOfAFile(t *testing.T) {
	for name, c := range map[string]struct {
		encode func(text string) string
		said   int
	}{
		"UTF-8 with a mark": {func(text string) string { return "\ufeff" + text }, 0},
		"UTF-16LE":          {utf16Of(t, unicode.LittleEndian), 1},
		"UTF-16BE":          {utf16Of(t, unicode.BigEndian), 1},
	} {
		t.Run(name, func(t *testing.T) {
			eachStorage(t, func(t *testing.T, s *synced) {
				said := func() (count int) {
					for _, e := range s.events {
						if e.Kind == foldersync.Notice && e.File == "a.md" && strings.Contains(e.Reason, "UTF-16") {
							count++
						}
					}
					return count
				}
				first := c.encode("# Grüße\r\n\r\none 🎈\r\n")
				s.save("a.md", first)
				s.want(1, 0, 0, 0, 0, 0)
				if got := said(); got != c.said {
					t.Errorf("said %d times: %+v", got, s.events)
				}
				if got := s.value("a"); got != `"# Grüße\n\none 🎈"` {
					t.Errorf("the store has %s", got)
				}
				s.want(0, 0, 0, 0, 0, 0)
				if got := said(); got > 0 || s.text("a.md") != first {
					t.Errorf("said %d times more, the file has %q", got, s.text("a.md"))
				}
				s.put("a", `"# Grüße\n\ntwo 🎈"`)
				s.want(0, 1, 0, 0, 0, 0)
				if got := s.text("a.md"); got != c.encode("# Grüße\r\n\r\ntwo 🎈\r\n") {
					t.Errorf("written back as %q", got)
				}
				s.save("a.md", c.encode("# Grüße\r\n\r\nthree 🎈\r\n"))
				s.want(1, 0, 0, 0, 0, 0)
				if got := s.value("a"); got != `"# Grüße\n\nthree 🎈"` {
					t.Errorf("the store has %s", got)
				}
				s.put("a", `"# Grüße\n\nthere 🎈"`)
				s.save("a.md", c.encode("# Grüße\r\n\r\nhere 🎈\r\n"))
				conflict := s.want(0, 0, 0, 0, 1, 0).Conflicts[0]
				if got := s.text("a.md"); got != c.encode("# Grüße\r\n\r\nthere 🎈\r\n") {
					t.Errorf("after a conflict it has %q", got)
				}
				if got := s.text(conflict.Reason); got != c.encode("# Grüße\r\n\r\nhere 🎈\r\n") {
					t.Errorf("the other version has %q", got)
				}
				s.save("a.md", c.encode("")) // as a full disk leaves it
				s.want(0, 0, 0, 0, 0, 1)
				if got := s.value("a"); got != `"# Grüße\n\nthere 🎈"` {
					t.Errorf("the store has %s", got)
				}
			})
		})
	}
}

func utf16Of(t *testing.T, order unicode.Endianness) func(text string) string {
	return func(text string) string {
		encoded, err := unicode.UTF16(order, unicode.UseBOM).NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		if text == "" && encoded == "" {
			encoded = map[unicode.Endianness]string{unicode.LittleEndian: "\xff\xfe", unicode.BigEndian: "\xfe\xff"}[order]
		}
		return encoded
	}
}

// A file that is marked as UTF-16 but invalid is refused, and stays unchanged.
func TestSyncRefusesBrokenUTF16(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *synced) {
		const half = "\xff\xfea\x00\x00\xd8b\x00"
		s.save("a.md", half)
		s.want(0, 0, 0, 0, 0, 1)
		if s.text("a.md") != half || len(s.entries()) > 0 {
			t.Errorf("the file has %q, the store %q", s.text("a.md"), s.entries())
		}
	})
}
