package docs_test

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var linked = regexp.MustCompile(`\]\(([^)#]+)\)`)

// recipe returns the files that a recipe of CONTRIBUTING.md names as links, in order.
func recipe(t *testing.T, title string) (named []string) {
	t.Helper()
	_, text, ok := strings.Cut(read(t, filepath.Join(root, "CONTRIBUTING.md")), "\n### "+title+"\n")
	if !ok {
		t.Fatalf("CONTRIBUTING.md has no recipe %q", title)
	}
	text, _, _ = strings.Cut(text, "\n#")
	for _, link := range linked.FindAllStringSubmatch(text, -1) {
		named = append(named, link[1])
	}
	return named
}

// Each recipe names at most this many files to change, not counting tests, generated files,
// and the package of an embedder. TestRelativeLinksLeadSomewhere checks that the files
// exist.
func TestRecipesNameFewFiles(t *testing.T) {
	for title, most := range map[string]int{"A setting": 4, "An embedder": 3, "A tool": 3, "A field of hits": 5} {
		if named := recipe(t, title); len(named) == 0 || len(named) > most {
			t.Errorf("the recipe %q names %d files, at most %d are allowed: %v", title, len(named), most, named)
		}
	}
}

// A setting costs the files that its recipe names. The test follows the recipe: it changes
// these files, and no others, in an overlay, builds what uses the setting, and has the tests
// of configs look for it.
func TestTheRecipeOfASettingIsWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program's parts")
	}
	changes := map[string][][2]string{
		"configs/config.go": {
			{"\tConditionBytes int64 ", "\tRecipeEntries int64 `mapstructure:\"recipe_entries\"`\n\tConditionBytes int64 "},
			{"ConditionBytes: 512_000_000,", "ConditionBytes: 512_000_000, RecipeEntries: 5,"},
			{"\tneed(c.Limits.ConditionBytes > 0,", "\tneed(c.Limits.RecipeEntries > 0, \"limits.recipe_entries must be positive\")\n\tneed(c.Limits.ConditionBytes > 0,"},
		},
		"configs/example.yaml":  {{"  condition_bytes:", "  recipe_entries: 5\n  condition_bytes:"}},
		"cmd/compose/report.go": {{"\t\t{Name: \"limits.condition_bytes\"", "\t\t{Name: \"limits.recipe_entries\", Value: c.Limits.RecipeEntries},\n\t\t{Name: \"limits.condition_bytes\""}},
	}
	named := recipe(t, "A setting")
	at, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	work, overlay := t.TempDir(), make(map[string]string)
	write := func(path, text string) string {
		changed := filepath.Join(work, filepath.Base(path))
		if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return changed
	}
	for _, path := range named {
		text := read(t, filepath.Join(root, path))
		for _, change := range changes[path] {
			if strings.Count(text, change[0]) != 1 {
				t.Fatalf("%s has %q %d times", path, change[0], strings.Count(text, change[0]))
			}
			text = strings.Replace(text, change[0], change[1], 1)
		}
		overlay[filepath.Join(at, path)] = write(path, text)
		delete(changes, path)
	}
	for path := range changes {
		t.Errorf("the recipe of a setting does not name %s", path)
	}
	const test = "package configs\n\nimport \"testing\"\n\n" +
		"func TestRecipe(t *testing.T) {\n\tclean(t)\n\tt.Setenv(\"MNEME_LIMITS_RECIPE_ENTRIES\", \"7\")\n" +
		"\tif got, err := Load(\"\", noFlags()); err != nil || got.Limits.RecipeEntries != 7 {\n\t\tt.Errorf(\"%d, %v\", got.Limits.RecipeEntries, err)\n\t}\n" +
		"\tt.Setenv(\"MNEME_LIMITS_RECIPE_ENTRIES\", \"0\")\n" +
		"\tif _, err := Load(\"\", noFlags()); err == nil {\n\t\tt.Error(\"0 is accepted\")\n\t}\n}\n"
	overlay[filepath.Join(at, "configs", "recipe_test.go")] = write("recipe_test.go", test)
	replaced, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	layer := write("overlay.json", string(replaced))
	run := func(folder, name string, args ...string) string {
		command := exec.CommandContext(t.Context(), name, args...)
		command.Dir = folder
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	program := filepath.Join(work, "configs.test.exe")
	run(at, "go", "test", "-overlay", layer, "-c", "-o", program, "./configs")
	// The tests run beside the changed example.yaml.
	if out := run(work, program, "-test.v", "-test.run", "^(TestRecipe|TestExampleShowsEveryKeyWithItsDefault)$"); strings.Count(out, "--- PASS: Test") != 2 {
		t.Errorf("the tests of configs did not run:\n%s", out)
	}
	run(at, "go", "build", "-overlay", layer, "./cmd/compose")
}

var importable = regexp.MustCompile(`(?m)^//   - ([a-z0-9/]+), `)

// The root of the module has no code. Its comment lists the packages that other modules may
// import, and each of these has runnable examples.
func TestTheRootHasNoCodeAndWhatItListsHasExamples(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(root, "*.go"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	text := read(t, found[0])
	if parsed, err := parser.ParseFile(token.NewFileSet(), found[0], text, 0); err != nil || len(parsed.Decls) > 0 {
		t.Errorf("%s has %d declarations, %v", found[0], len(parsed.Decls), err)
	}
	listed := importable.FindAllStringSubmatch(text, -1)
	if len(listed) == 0 {
		t.Error("it lists no packages")
	}
	for _, one := range listed {
		examples := read(t, filepath.Join(root, one[1], "example_test.go"))
		if !strings.Contains(examples, "\nfunc Example() {") || !strings.Contains(examples, "\t// Output:") {
			t.Errorf("%s has no example of the package with its output", one[1])
		}
	}
}
