package deploy_test

import (
	"bytes"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestTheDockerfileMatchesGoModAndCompose(t *testing.T) {
	dockerfile := string(read(t, "Dockerfile"))
	for _, needed := range []string{"FROM scratch", "CGO_ENABLED=0", "-trimpath", "USER 65532:65532", "MNEME_DATA_DIR=/var/lib/mneme", "EXPOSE 7077"} {
		if !strings.Contains(dockerfile, needed) {
			t.Errorf("the Dockerfile lacks %s", needed)
		}
	}
	module := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(read(t, "../go.mod"))
	if !bytes.Contains([]byte(dockerfile), append([]byte(" golang:"), module[1]...)) {
		t.Errorf("the image is not built with Go %s", module[1])
	}
	s := compose(t).Services["mneme"]
	if !s.ReadOnly || !slices.Contains(s.Volumes, "mneme:/var/lib/mneme") {
		t.Errorf("read only %v, volumes %v", s.ReadOnly, s.Volumes)
	}
}

// The image of a release has the same configuration as an image built from a clone.
func TestBothImagesAreConfiguredAlike(t *testing.T) {
	_, built, _ := strings.Cut(string(read(t, "Dockerfile")), "\nUSER ")
	_, released, _ := strings.Cut(string(read(t, "packaging/image/Dockerfile")), "\nUSER ")
	if built == "" || built != released {
		t.Errorf("the Dockerfile ends with:\n%s\nthat of a release with:\n%s", built, released)
	}
}

// .dockerignore must not exclude a file that the build of the program needs.
func TestTheImageIsBuiltFromAllFilesOfTheProgram(t *testing.T) {
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f",
		`{{if .Module}}{{if or .Module.Main .Module.Replace}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{range .SFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{range .EmbedFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`,
		"./cmd/mneme")
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	files := strings.Fields(strings.ReplaceAll(string(out), root+"/", ""))
	if len(files) < 100 {
		t.Fatalf("the program is built from %d files", len(files))
	}
	// The Dockerfile and its script name these files.
	files = append(files, "go.mod", "go.sum", "clients/go/go.mod", "clients/go/go.sum", "LICENSE", "THIRD_PARTY_NOTICES.txt", "embed/e5/LICENSE-e5-small-v2", "embed/e5/LICENSE-multilingual-e5-small", "deploy/packaging/image/tree.sh")
	by := make(map[string]string) // last matching pattern by file; ! is an exception
	for pattern := range strings.Lines(string(read(t, "../.dockerignore"))) {
		pattern = strings.TrimSpace(pattern)
		if pattern == "" || strings.HasPrefix(pattern, "#") {
			continue
		}
		for _, file := range files {
			if ignored(strings.TrimPrefix(pattern, "!"), file) {
				by[file] = pattern
			}
		}
	}
	for file, pattern := range by {
		if !strings.HasPrefix(pattern, "!") {
			t.Errorf("%s is ignored by %s", file, pattern)
		}
	}
}

// ignored reports whether a pattern of .dockerignore matches a file or one of its
// folders. It supports a leading "**/" and the wildcards of path.Match.
func ignored(pattern, file string) bool {
	anywhere, deep := strings.CutPrefix(pattern, "**/")
	parts := strings.Split(file, "/")
	for i, part := range parts {
		whole, _ := path.Match(pattern, strings.Join(parts[:i+1], "/"))
		single, _ := path.Match(anywhere, part)
		if whole || deep && single {
			return true
		}
	}
	return false
}
