package origin

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mneme/cmd/mneme/importer"
	"mneme/memory"
)

func FuzzBasicMemory(f *testing.F) { fuzz(f, "basic-memory", "basic-memory") }
func FuzzChatGPT(f *testing.F)     { fuzz(f, "chatgpt", "chatgpt") }
func FuzzClaude(f *testing.F)      { fuzz(f, "claude", "claude") }
func FuzzLetta(f *testing.F)       { fuzz(f, "letta", "letta.af") }
func FuzzMem0(f *testing.F)        { fuzz(f, "mem0", "mem0.json") }
func FuzzMarkdown(f *testing.F) {
	f.Add("# One\n\n#tag `#code`\n```\n#x\n")
	f.Fuzz(func(t *testing.T, text string) {
		n := &notes{zone: time.UTC, inline: true}
		err := n.read("a.md", strings.NewReader(text), func(l importer.Line) error {
			if l.Err == nil && (!json.Valid(l.Put.Value) || memory.CheckTags(*l.Put.Tags) != nil || memory.CheckDescription(*l.Put.Description) != nil) {
				t.Errorf("not a write: %+v", l)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if whole := strings.Join(atHeadings(text, 64), ""); utf8.ValidString(text) && strings.Join(strings.Fields(whole), "") != strings.Join(strings.Fields(text), "") {
			t.Errorf("parts have %q", whole)
		}
	})
}
func FuzzZep(f *testing.F) { fuzz(f, "zep", "zep.json") }

// fuzz checks that no contents of a file make its reader fail, that every entry is a valid
// write, and that reading the file again gives the same entries.
func fuzz(f *testing.F, system, sample string) {
	err := filepath.WalkDir(filepath.Join(samples, sample), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		f.Add(string(text))
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("1e9999") // out of the range of float64
	f.Add("---\npermalink: a\n...\nx\n---\ny")
	f.Fuzz(func(t *testing.T, text string) {
		read := func() (results []result) {
			err := reader(t, system).Read("-", strings.NewReader(text), func(_ string, l importer.Line) error {
				results = append(results, resultOf("", l))
				if l.Err == nil && (!json.Valid(l.Put.Value) || l.Put.Path.Key == "" || l.Skipped) {
					t.Errorf("not a write: %+v", l)
				}
				if l.Number < 1 || l.Number > 1+strings.Count(text, "\n") {
					t.Errorf("line %d", l.Number)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			return results
		}
		if first := read(); !reflect.DeepEqual(read(), first) {
			t.Error("read differently the second time")
		}
	})
}
