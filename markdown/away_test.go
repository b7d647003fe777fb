package markdown

import "testing"

func TestAwayReturnsTheFileOfAStub(t *testing.T) {
	for name, want := range map[string]string{
		".Plan.md.icloud": "Plan.md", "d/.Plan.md.icloud": "d/Plan.md", "d/.e.icloud": "d/e", "Plan.md.cloud": "Plan.md", "Plan.md.cloudf": "Plan.md",
		"Plan.md.gdoc": "Plan.md", "Plan.md.onedrive": "Plan.md", "a/Plan.md.nextcloud": "a/Plan.md",
		".icloud": "", "Plan.md": "", "icloud.md": "", ".obsidian": "", "cloud": "", "": "",
	} {
		if got, ok := Away(name); got != want || ok != (want != "") {
			t.Errorf("%q is the stub of %q", name, got)
		}
	}
}

func TestConflictCopiesAreRecognizedByName(t *testing.T) {
	for _, name := range []string{
		"Plan (conflict 2026-11-26 13.05.12).md", "d/Plan (conflict 2026-11-26 13.05.12 2).md", "Plan.sync-conflict-20261126-130512-ABCDEF7.md",
		"Plan (Ann's conflicted copy 2026-11-26).md", "Plan (conflicted copy 2026-11-26 130512).md", "Plan (Conflicted copy laptop 202611261305).md",
		"Plan (conflicted copy).md", "Plan (Case Conflict).md", "Plan (Case Conflict 1).md", "Plan_conflict-20261126-130512.md",
		"Plan-DESKTOP-AB12CD3.md", "Plan-LAPTOP-AB12CD3-2.md", "Plan (SFConflict ann@example.org 2026-11-26-13-05-12).md", "Plan [Conflict].md",
	} {
		if !IsConflictCopy(name) || IsTemporary(name) {
			t.Errorf("%s is no copy", name)
		}
	}
	for _, name := range []string{"~$Plan.md", "d/~WRL0001.md", ".Plan.md.swp", "Plan.md~", "Plan.tmp", "Plan.tmp.md", ".#Plan.md", "#Plan.md#", "Plan.md.crdownload", "Plan.md.bak"} {
		if !IsTemporary(name) || IsConflictCopy(name) {
			t.Errorf("%s is no temporary file", name)
		}
	}
	for _, name := range []string{
		"Plan.md", "Conflict.md", "A conflict (2026).md", "conflicted copy.md", "The conflict-20261126 talk.md", "DESKTOP-AB12CD3.md", "Desktop-setup.md", "swp.md",
		"tmp.md", "a~b.md", "C#.md", "On [conflict] and peace.md", "Plan (conflict).md",
	} {
		if IsConflictCopy(name) || IsTemporary(name) {
			t.Errorf("%s is a note", name)
		}
	}
}
