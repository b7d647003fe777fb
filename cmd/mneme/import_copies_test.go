package main

import (
	"fmt"
	"strings"
	"testing"
)

// Conflict copies and stubs by other programs are not imported, from any folder. A file of
// an exported entry with such a key is imported.
func TestImportLeavesOutCopiesAndNamesThemOnce(t *testing.T) {
	left := []string{
		"Plan.sync-conflict-20261126-130512-ABCDEF7.md", "Plan (Ann's conflicted copy 2026-11-26).md", "Plan-DESKTOP-AB12CD3.md",
		"Plan (conflict 2026-11-26 13.05.12).md", "~$Plan.md", ".Other.md.icloud",
	}
	for flag, head := range map[string]string{"": "", "--markdown": "name: Plan\n", "--from=basic-memory": "title: Plan\npermalink: plan\n"} {
		t.Run("import "+flag, func(t *testing.T) {
			files := make(map[string]string)
			for _, name := range append([]string{"Plan.md"}, left...) {
				files[name] = "---\n" + head + "---\n\n" + name + "\n"
			}
			args := []string{"import", "--no-wait", "--agent", "me", "--json"}
			if flag != "" {
				args = append(args, flag)
			}
			got := decode[importCounts](t, mneme(t, t.TempDir(), "", append(args, fill(t, files))...).out)
			if got.Created != 1 || len(got.Refused) > 0 {
				t.Errorf("got %+v", got)
			}
			for _, name := range left {
				if said := strings.Count(fmt.Sprint(got.Notes), name); said != 1 {
					t.Errorf("%s is named %d times: %+v", name, said, got.Notes)
				}
			}
		})
	}
	dir, folder := t.TempDir(), t.TempDir()+"/f"
	must(t, dir, `{"key":"Plan [Conflict]","value":"x"}`, "import", "--no-wait", "--agent", "ada", "-")
	must(t, dir, "", "export", "--agent", "ada", "--markdown", folder)
	got := decode[importCounts](t, must(t, dir, "", "import", "--no-wait", "--json", "--as", "bob", folder))
	if got.Created != 1 {
		t.Errorf("got %+v", got)
	}
}
