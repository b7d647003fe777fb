// Command notices lists the modules that are built into the mneme binary, on any supported
// platform, with their licences, in THIRD_PARTY_NOTICES.txt.
//
//	go run ./deploy/packaging/notices          writes the file
//	go run ./deploy/packaging/notices -check   fails if the file is out of date
//
// A module with any other licence than those below is an error in both.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const file = "THIRD_PARTY_NOTICES.txt"

// platforms are the platforms for which .ci/run builds.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"}

// licences are the accepted licences, each with a sentence that is unique to its text.
var licences = []struct{ name, sentence string }{
	{"Apache-2.0", "Apache License Version 2.0, January 2004"},
	{"MPL-2.0", "Mozilla Public License, version 2.0"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"ISC", "Permission to use, copy, modify, and distribute this software for any purpose with or without fee"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"},
	{"BSD", "Redistribution and use in source and binary forms, with or without modification, are permitted"},
}

// without maps the modules without a licence file to their known licence.
var without = map[string]string{
	"github.com/milvus-io/milvus-proto/go-api/v2": "no licence file; generated from the interface of Milvus, whose project is under Apache-2.0",
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|patents)([-._].*)?$`)

func main() {
	check := flag.Bool("check", false, "fail if the file is out of date")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "modules:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	modules, err := builtIn()
	if err != nil {
		return err
	}
	want, err := notices(modules)
	if err != nil {
		return err
	}
	if !check {
		return os.WriteFile(file, want, 0o644) //nolint:gosec // everybody may read it
	}
	got, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if bytes.Equal(got, want) {
		return nil
	}
	had := slices.Collect(strings.Lines(string(got)))
	for line := range strings.Lines(string(want)) {
		if !slices.Contains(had, line) {
			fmt.Fprint(os.Stderr, "new: ", line)
		}
	}
	return errors.New("the modules of the binary have changed. If that is meant, run: go run ./deploy/packaging/notices")
}

// module is a module with at least one built-in package.
type module struct {
	path, version string
	root          string              // directory
	packages      map[string]struct{} // directories of the built-in packages
}

// builtIn returns the modules of the binary, in order of their paths.
func builtIn() ([]module, error) {
	found := make(map[string]module)
	for _, platform := range platforms {
		system, processor, _ := strings.Cut(platform, "/")
		list := exec.Command("go", "list", "-deps", "-json=Dir,Module", "./cmd/mneme") //nolint:noctx // it ends by itself
		list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct {
				Dir    string
				Module *struct {
					Path, Version, Dir string
					Main               bool
					Replace            *struct{} // set for the client, which is replaced by its folder
				}
			}
			if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if p.Module == nil || p.Module.Main || p.Module.Replace != nil {
				continue
			}
			m, known := found[p.Module.Path]
			if !known {
				m = module{p.Module.Path, p.Module.Version, p.Module.Dir, make(map[string]struct{})}
				found[m.path] = m
			}
			m.packages[p.Dir] = struct{}{}
		}
	}
	modules := slices.Collect(maps.Values(found))
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return modules, nil
}

// notices returns the content of the file: a table, and each licence text once with its
// modules.
func notices(modules []module) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "Third-party software in the mneme binary, made by: go run ./deploy/packaging/notices\n\n")
	var texts []string
	owners := make(map[string][]string) // by text
	add := func(owner string, text []byte) {
		text = bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
		if _, known := owners[string(text)]; !known {
			texts = append(texts, string(text))
		}
		owners[string(text)] = append(owners[string(text)], owner)
	}
	var unknown []error
	for _, m := range modules {
		files, err := m.licenceFiles()
		if err != nil {
			return nil, err
		}
		names := make(map[string]struct{})
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			for _, name := range classify(text) {
				names[name] = struct{}{}
			}
			relative, _ := filepath.Rel(m.root, path)
			add(m.path+" ("+filepath.ToSlash(relative)+")", text)
		}
		said, excepted := without[m.path]
		if excepted {
			names[said] = struct{}{}
		}
		if len(names) == 0 {
			unknown = append(unknown, fmt.Errorf("%s %s: no accepted licence among %d files", m.path, m.version, len(files)))
		}
		fmt.Fprintf(&out, "%s %s: %s\n", m.path, m.version, strings.Join(slices.Sorted(maps.Keys(names)), ", "))
	}
	root, err := exec.Command("go", "env", "GOROOT").Output() //nolint:noctx // it ends by itself
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	for _, other := range [][2]string{
		{"Go's standard library", filepath.Join(strings.TrimSpace(string(root)), "LICENSE")},
		{"the weights of E5-small-v2", filepath.Join("embed", "e5", "LICENSE-e5-small-v2")},
		{"tables of characters of OpenCC", filepath.Join("lexical", "LICENSE-opencc")},
		{"the weights of multilingual-e5-small", filepath.Join("embed", "e5", "LICENSE-multilingual-e5-small")},
	} {
		text, err := os.ReadFile(other[1])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%s: %s\n", other[0], strings.Join(classify(text), ", "))
		add(other[0], text)
	}
	for _, text := range texts {
		fmt.Fprintf(&out, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(owners[text], "\n"), text)
	}
	return out.Bytes(), errors.Join(unknown...)
}

// licenceFiles returns the licence files that apply to the module's packages: the files in
// the packages' directories and in the directories above them, up to the module's.
func (m module) licenceFiles() ([]string, error) {
	directories := make(map[string]struct{})
	for dir := range m.packages {
		for ; strings.HasPrefix(dir, m.root); dir = filepath.Dir(dir) {
			directories[dir] = struct{}{}
		}
	}
	var files []string
	for _, dir := range slices.Sorted(maps.Keys(directories)) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if entry.Type().IsRegular() && licenceFile.MatchString(entry.Name()) && filepath.Ext(entry.Name()) != ".go" {
				files = append(files, filepath.Join(dir, entry.Name()))
			}
		}
	}
	return files, nil
}

// classify returns the accepted licences whose texts a file contains.
func classify(text []byte) []string {
	words := strings.Join(strings.Fields(string(text)), " ")
	var names []string
	for _, licence := range licences {
		if !strings.Contains(strings.ToLower(words), strings.ToLower(licence.sentence)) {
			continue
		}
		name := licence.name
		if name == "BSD" {
			name = "BSD-2-Clause"
			if strings.Contains(words, "to endorse or promote products") {
				name = "BSD-3-Clause"
			}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
