// Package sqltext reads the SQL statements of a storage from files. Each file has one subject,
// which is the file's name and the first part of its statements' names. Its paragraphs are a
// comment on the subject, and then the statements. Each statement has a comment like that of a
// Go function, which describes the parameters:
//
//	-- The queue: a row for each entry whose vectors are out of date.
//
//	-- queue.renew moves the end of the lease of entry $2 to $1, unless it was queued again: $3
//	-- is the revision that was leased.
//	UPDATE queue SET not_before = $1 WHERE entry = $2 AND revision = $3 AND {queue.leased};
//
//	-- {queue.leased} is the condition that a row is leased.
//	not_before > '-infinity'
//
// A name in braces names a fragment, which several statements share. They include it by this
// name, also from other files, and so do other fragments. A statement of SQLite may write each
// parameter as ?, in order: the comment has their numbers.
package sqltext

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Folder is a folder of files.
type Folder struct {
	Path  string // its path in the repository, for messages
	Files fs.FS
}

// Statement is a statement or a fragment.
type Statement struct {
	Name, File string
	Head       string // the comment at the beginning of the file
	Comment    string
	Text       string // without comments and semicolon

	Included bool // a fragment: included in a statement, or in another fragment
}

// Set has statements and fragments by name.
type Set struct{ Statements, Fragments map[string]*Statement }

// Text returns the text of a query, which is a statement's name, or a composed text, which
// contains spaces. It panics if there is no statement with the name.
func (s Set) Text(query string) string {
	if statement, ok := s.Statements[query]; ok {
		return statement.Text
	}
	if strings.Contains(query, ".") && !strings.Contains(query, " ") {
		panic("there is no statement " + query)
	}
	return query
}

// Fill returns a part of a composed text, with its fragments included. It is for package-level
// variables: it panics if a fragment does not exist.
func (s Set) Fill(part string) string {
	text, err := s.expand(part)
	if err != nil {
		panic(err)
	}
	return text
}

// Load reads the files sql/*.sql of folders. Only one of them may define a name.
func Load(folders ...Folder) (Set, error) {
	set := Set{make(map[string]*Statement), make(map[string]*Statement)}
	for _, folder := range folders {
		names, err := fs.Glob(folder.Files, "sql/*.sql")
		if err != nil {
			return Set{}, err
		}
		for _, name := range names {
			text, err := fs.ReadFile(folder.Files, name)
			if err != nil {
				return Set{}, err
			}
			file := path.Join(folder.Path, name)
			if err := set.parse(file, string(text)); err != nil {
				return Set{}, fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return set, set.include()
}

// parse adds the statements and fragments of a file.
func (s Set) parse(file, text string) error {
	head, rest, _ := strings.Cut(text, "\n\n")
	for paragraph := range strings.SplitSeq(rest, "\n\n") {
		part := &Statement{File: file, Head: head}
		for line := range strings.Lines(paragraph) {
			switch comment := strings.HasPrefix(strings.TrimSpace(line), "--"); {
			case !comment:
				part.Text += line
			case part.Text == "":
				part.Comment += line
			}
		}
		part.Text = strings.TrimSpace(part.Text)
		name, _, _ := strings.Cut(strings.TrimPrefix(part.Comment, "-- "), " ")
		of := s.Statements
		if fragment, ok := strings.CutPrefix(name, "{"); ok {
			name, of = strings.TrimSuffix(fragment, "}"), s.Fragments
		}
		part.Name = name
		if subject, _, _ := strings.Cut(name, "."); subject+".sql" != path.Base(file) {
			return fmt.Errorf("the name %q does not begin with the name of its file", name)
		}
		if of[name] != nil {
			return fmt.Errorf("%s is also in %s", name, of[name].File)
		}
		of[name] = part
	}
	return nil
}

// include replaces the names of fragments with the fragments.
func (s Set) include() error {
	for _, of := range s.Statements {
		text, err := s.expand(of.Text)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", of.File, of.Name, err)
		}
		text, ended := strings.CutSuffix(text, ";")
		if !ended || strings.Contains(text, ";") {
			return fmt.Errorf("%s: %s is not one statement that ends with a semicolon", of.File, of.Name)
		}
		of.Text = text
	}
	return nil
}

// Parameters returns the numbers of the parameters of a text, $1 and so on, in ascending order.
// Unnumbered parameters, ?, are numbered by position.
func Parameters(text string) (numbers []int) {
	for i := range strings.Count(text, "?") {
		numbers = append(numbers, i+1)
	}
	for _, after := range strings.Split(text, "$")[1:] {
		end := strings.IndexFunc(after, func(c rune) bool { return c < '0' || c > '9' })
		if end < 0 {
			end = len(after)
		}
		if n, err := strconv.Atoi(after[:end]); err == nil {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// expand returns a text with its fragments included, recursively. within are the fragments that
// text is a part of: it is an error if text includes one of them.
func (s Set) expand(text string, within ...string) (string, error) {
	before, rest, found := strings.Cut(text, "{")
	if !found {
		return text, nil
	}
	name, after, _ := strings.Cut(rest, "}")
	f := s.Fragments[name]
	if f == nil || slices.Contains(within, name) {
		return "", fmt.Errorf("{%s} is not a fragment, or includes itself", name)
	}
	f.Included = true
	inner, err := s.expand(f.Text, append(within, name)...)
	if err != nil {
		return "", err
	}
	after, err = s.expand(after, within...)
	return before + inner + after, err
}
