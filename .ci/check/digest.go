package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A digester computes digests of the steps' inputs. Within one run each file is read
// once, and each command runs once.
type digester struct {
	root     string // of the repository
	plan     plan
	environ  []string
	files    map[string]string   // digests, by path
	inputs   map[string]string   // digests, by input
	lists    map[string][]string // files, by input
	versions map[string]string   // by command
	texts    map[string]string   // of the scripts' functions and variables
}

func newDigester(root string, p plan, environ []string) *digester {
	return &digester{root: root, plan: p, environ: environ, files: make(map[string]string), inputs: make(map[string]string), lists: make(map[string][]string), versions: make(map[string]string)}
}

// step returns a digest of everything that a step's outcome depends on: its function, its
// input files, the versions of its tools, and the digests of the steps that it needs.
func (d *digester) step(s *step) (string, error) {
	sum := sha256.New()
	text, err := d.function(s.run)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(sum, "%s\n%s\n", s.name, text)
	for _, input := range s.inputs {
		digest, err := d.input(input)
		if err != nil {
			return "", fmt.Errorf("inputs of %s: %w", s.name, err)
		}
		fmt.Fprintf(sum, "%s %s\n", digest, input)
	}
	for _, tool := range s.tools {
		fmt.Fprintf(sum, "%s: %s\n", tool, d.version(tool))
	}
	for _, need := range s.needs {
		digest, err := d.step(d.plan.find(need))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %s\n", digest, need)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// input returns a digest of all files of an input.
func (d *digester) input(input string) (string, error) {
	if digest, ok := d.inputs[input]; ok {
		return digest, nil
	}
	files, err := d.list(input)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, file := range files {
		digest, err := d.file(file)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %s\n", digest, file)
	}
	d.inputs[input] = hex.EncodeToString(sum.Sum(nil))
	return d.inputs[input], nil
}

// list returns the files of an input, relative to the root, sorted. An input without
// files is an error: it names a path that has moved.
func (d *digester) list(input string) ([]string, error) {
	if files, ok := d.lists[input]; ok { // steps share inputs
		return files, nil
	}
	var files []string
	var err error
	if packages, ok := strings.CutPrefix(input, "go:"); ok {
		files, err = d.goFiles(packages, false)
	} else if packages, ok := strings.CutPrefix(input, "test:"); ok {
		files, err = d.goFiles(packages, true)
	} else {
		files, err = d.gitFiles(input)
	}
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no file matches %s", input)
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	d.lists[input] = slices.Compact(files)
	return d.lists[input], nil
}

// gitFiles returns the files of a pathspec that git tracks, or would track.
func (d *digester) gitFiles(pathspecs ...string) ([]string, error) {
	out, err := d.output("git", append([]string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"}, pathspecs...)...)
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
}

// goFiles returns the files of our modules from which packages, named by patterns, and
// their imports are built, or from which their tests are built. Test data counts if it
// is in folders called testdata.
func (d *digester) goFiles(patterns string, tests bool) ([]string, error) {
	arguments := []string{"list", "-deps", "-json=Dir,Module,DepOnly,GoFiles,CgoFiles,CFiles,SFiles,HFiles,IgnoredGoFiles,IgnoredOtherFiles,EmbedFiles," +
		"TestGoFiles,XTestGoFiles,TestEmbedFiles,XTestEmbedFiles"}
	if tests {
		arguments = append(arguments, "-test")
	}
	out, err := d.output("go", append(arguments, strings.Fields(patterns)...)...)
	if err != nil {
		return nil, err
	}
	files := []string{"go.mod", "go.sum", "clients/go/go.mod"}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir                                                        string
			Module                                                     *struct{}
			DepOnly                                                    bool
			GoFiles, CgoFiles, CFiles, SFiles, HFiles, EmbedFiles      []string
			IgnoredGoFiles, IgnoredOtherFiles                          []string // of other platforms
			TestGoFiles, XTestGoFiles, TestEmbedFiles, XTestEmbedFiles []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return files, nil
		} else if err != nil {
			return nil, err
		}
		dir, err := filepath.Rel(d.root, p.Dir)
		if err != nil || p.Module == nil || !filepath.IsLocal(dir) {
			continue // a package of Go or of another module
		}
		names := slices.Concat(p.GoFiles, p.CgoFiles, p.CFiles, p.SFiles, p.HFiles, p.IgnoredGoFiles, p.IgnoredOtherFiles, p.EmbedFiles)
		if tests && !p.DepOnly {
			names = slices.Concat(names, p.TestGoFiles, p.XTestGoFiles, p.TestEmbedFiles, p.XTestEmbedFiles)
			data, err := d.gitFiles(filepath.Join(dir, "testdata"))
			if err != nil {
				return nil, err
			}
			files = append(files, data...)
		}
		for _, name := range names {
			if !filepath.IsAbs(name) { // the go command makes the main functions of tests
				files = append(files, filepath.Join(dir, name))
			}
		}
	}
}

// file returns a digest of a file's content and mode, or "absent" if git tracks the
// file and it was deleted.
func (d *digester) file(path string) (string, error) {
	if digest, ok := d.files[path]; ok {
		return digest, nil
	}
	digest, err := digestFile(filepath.Join(d.root, path))
	if err == nil {
		d.files[path] = digest
	}
	return digest, err
}

func digestFile(path string) (string, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "absent", nil
	} else if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, info.Mode()&(fs.ModeType|0o111))
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		fmt.Fprint(sum, target)
		return hex.EncodeToString(sum.Sum(nil)), err
	}
	content, err := os.ReadFile(path)
	sum.Write(content)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// version returns the output of a command. If the program is missing, it returns the
// error.
func (d *digester) version(command string) string {
	if version, ok := d.versions[command]; ok {
		return version
	}
	out, err := d.output("bash", "-c", command)
	d.versions[command] = fmt.Sprint(string(out), err)
	return d.versions[command]
}

// output runs a command at the root.
func (d *digester) output(name string, arguments ...string) ([]byte, error) {
	command := exec.Command(name, arguments...) //nolint:gosec,noctx // a command of the plan, which ends by itself
	command.Dir, command.Env = d.root, d.environ
	var said bytes.Buffer
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		return out, fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(said.String()))
	}
	return out, nil
}
