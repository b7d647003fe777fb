package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	word       = regexp.MustCompile(`\w+`)
	assignment = regexp.MustCompile(`(?m)^(\w+)=.*$`)
	definition = regexp.MustCompile(`(?m)^(\w+) \(\) *$`)
)

// functions returns the text of each function in the steps' scripts, as bash prints it
// without comments, and of each variable that they set outside functions.
func (d *digester) functions() (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(d.root, ".ci", "steps", "*.sh"))
	if err != nil {
		return nil, err
	}
	texts := make(map[string]string)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, match := range assignment.FindAllStringSubmatch(string(text), -1) {
			texts[match[1]] = match[0]
		}
	}
	out, err := d.output("bash", "-euo", "pipefail", "-c", `for file in .ci/steps/*.sh; do . "$file"; done; declare -f`)
	if err != nil {
		return nil, err
	}
	starts := definition.FindAllStringSubmatchIndex(string(out), -1)
	for i, start := range starts {
		end := len(out)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		texts[string(out[start[2]:start[3]])] = string(out[start[0]:end])
	}
	return texts, nil
}

// function returns the text of a function, its arguments, and the texts of all functions
// and variables that it mentions, directly or indirectly.
func (d *digester) function(command string) (string, error) {
	name, arguments, _ := strings.Cut(command, " ")
	if d.texts == nil {
		texts, err := d.functions()
		if err != nil {
			return "", err
		}
		d.texts = texts
	}
	if d.texts[name] == "" {
		return "", fmt.Errorf(".ci/steps has no function %s", name)
	}
	mentioned := []string{name}
	for i := 0; i < len(mentioned); i++ {
		for _, other := range word.FindAllString(d.texts[mentioned[i]], -1) {
			if d.texts[other] != "" && !slices.Contains(mentioned, other) {
				mentioned = append(mentioned, other)
			}
		}
	}
	slices.Sort(mentioned)
	var text strings.Builder
	for _, name := range mentioned {
		text.WriteString(d.texts[name])
	}
	return text.String() + arguments, nil
}
