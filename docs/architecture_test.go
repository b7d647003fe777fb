package docs_test

import (
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The tables of rooms in architecture.md define what the packages of each room may
// import, and this test enforces them. A package belongs to the room with the longest
// path that is a prefix of its own. The third column has one of
//
//	standard library       and nothing else
//	no room                but other modules
//	acl, lexical           these rooms, and other modules
//	everything
//	everything but a, b    and the rooms below them
//	—                      there is no Go
//
// A package may always import its own room. Tests may import everything, except below
// test/, where all packages are tests.
func TestPackagesImportWhatTheirRoomMay(t *testing.T) {
	rooms := tableOfRooms(t)
	module := modulePath(t) + "/"
	for _, file := range files(t, ".go") {
		if filepath.Dir(file) == filepath.Clean(root) {
			continue // TestTheRootHasNoCodeAndWhatItListsHasExamples
		}
		folder := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(file), root+string(filepath.Separator)))
		in, ok := roomOf(rooms, folder)
		if !ok {
			t.Errorf("%s is in no room of architecture.md", folder)
			continue
		}
		if strings.HasSuffix(file, "_test.go") && !strings.HasPrefix(folder, testFolder+"/") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value) // it was parsed
			if !mayImport(rooms, in, module, imported) {
				t.Errorf("%s imports %s: %s may import %s", file, imported, in, rooms[in])
			}
		}
	}
}

func TestTheTablesOfRoomsNameRoomsThatExist(t *testing.T) {
	rooms := tableOfRooms(t)
	for room, imports := range rooms {
		if found, err := filepath.Glob(filepath.Join(root, room)); err != nil || len(found) != 1 {
			t.Errorf("there is no folder %s", room)
		}
		for _, name := range named(imports) {
			if _, ok := rooms[name]; !ok && !(strings.HasPrefix(imports, except) && name == testFolder) {
				t.Errorf("%s may import %s, which is no room", room, name)
			}
		}
	}
}

// Rooms below internal may be imported from everywhere, so they must not import everything.
// Code that chooses the parts of the program, such as its storage, belongs below cmd.
func TestRoomsBelowInternalComposeNothing(t *testing.T) {
	for room, imports := range tableOfRooms(t) {
		if strings.HasPrefix(room, "internal/") && (imports == everything || strings.HasPrefix(imports, except)) {
			t.Errorf("%s may import %s", room, imports)
		}
	}
}

// tableOfRooms returns the third column of the tables of rooms, by the paths in the first.
func tableOfRooms(t *testing.T) map[string]string {
	t.Helper()
	rooms, inTable := make(map[string]string), false
	for line := range strings.Lines(read(t, "architecture.md")) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		switch {
		case strings.HasPrefix(line, "| room | what lives there | may import |"):
			inTable = true
		case !strings.HasPrefix(line, "|"):
			inTable = false
		case inTable && len(cells) == 3:
			for room := range strings.SplitSeq(strings.TrimPrefix(cells[0], "| "), ", ") {
				rooms[room] = strings.TrimSuffix(cells[2], " |")
			}
		}
	}
	if len(rooms) == 0 {
		t.Fatal("architecture.md has no table of rooms")
	}
	return rooms
}

// modulePath returns the path of the main module.
func modulePath(t *testing.T) string {
	t.Helper()
	first, _, _ := strings.Cut(read(t, filepath.Join(root, "go.mod")), "\n")
	return strings.TrimPrefix(first, "module ")
}

// roomOf returns the room of a folder.
func roomOf(rooms map[string]string, folder string) (string, bool) {
	for ; folder != "."; folder = path.Dir(folder) {
		if _, ok := rooms[folder]; ok {
			return folder, true
		}
	}
	return "", false
}

const (
	standardLibrary = "standard library"
	noRoom          = "no room"
	everything      = "everything"
	except          = "everything but "
	noGo            = "—"
	testFolder      = "test" // holds suites and tests of the whole, and is no room itself
)

// named returns the rooms that a cell of the third column names.
func named(cell string) []string {
	switch cell {
	case standardLibrary, noRoom, everything, noGo:
		return nil
	}
	return strings.Split(strings.TrimPrefix(cell, except), ", ")
}

// mayImport reports whether packages of a room may import a path.
func mayImport(rooms map[string]string, in, module, imported string) bool {
	folder, ours := strings.CutPrefix(imported, module)
	cell := rooms[in]
	if !ours {
		other, _, _ := strings.Cut(imported, "/")
		return cell != standardLibrary || !strings.Contains(other, ".")
	}
	room, _ := roomOf(rooms, folder)
	switch {
	case room == in, cell == everything:
		return true
	case strings.HasPrefix(cell, except):
		return !slices.ContainsFunc(named(cell), func(barred string) bool { return room == barred || strings.HasPrefix(room, barred+"/") })
	}
	return slices.Contains(named(cell), room)
}
