package configs

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"mneme/internal/edit"
)

// origins are the sources of the values of a configuration.
type origins struct {
	flags *pflag.FlagSet
	lines lines
}

// locate adds to each error, whose text begins with a key, the source of that key.
func (o origins) locate(violations []error) error {
	for i, err := range violations {
		key, _, _ := strings.Cut(err.Error(), " ")
		violations[i] = fmt.Errorf("%s: %w", o.of(strings.TrimSuffix(key, ":")), err)
	}
	return errors.Join(violations...)
}

// of returns the source of a key: its flag, its variable, or its line in the file. If the key
// has no line of its own, it is the line of the section around it.
func (o origins) of(key string) string {
	whole := withoutIndex(key)
	if flag := o.flags.Lookup(strings.ReplaceAll(whole, "_", "-")); flag != nil && flag.Changed {
		return "--" + flag.Name
	}
	if os.Getenv(variable(whole)) != "" {
		return variable(whole)
	}
	for {
		if at, ok := o.lines[key]; ok {
			return at
		}
		end := strings.LastIndexAny(key, ".[")
		if end < 0 {
			return "configuration"
		}
		key = key[:end]
	}
}

// withoutIndex returns the key of the list that an element belongs to.
func withoutIndex(key string) string {
	list, _, _ := strings.Cut(key, "[")
	return list
}

// checkVariables checks the types of the values in environment variables.
func checkVariables() error {
	var faults []error
	types := typesOf(reflect.TypeFor[Config](), "")
	for _, key := range keysOf(reflect.TypeFor[Config](), "") {
		text, t := os.Getenv(variable(key)), types[key]
		switch {
		case text == "":
		case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
			faults = append(faults, fmt.Errorf("%s: %s can be set in a file only", variable(key), key))
		default:
			if err := checkValue(text, t); err != nil {
				faults = append(faults, fmt.Errorf("%s: %s %w", variable(key), key, err))
			}
		}
	}
	return errors.Join(faults...)
}

// didYouMean returns an error suffix that suggests the keys a mistyped one may mean; ""
// for none.
func didYouMean(key string, types map[string]reflect.Type) string {
	return suggestion(nearest(key, slices.Sorted(maps.Keys(types))))
}

// nearest returns the known keys that a mistyped one may mean: keys that differ in one or
// two letters, else keys of the same name in another section, else keys that differ in
// more letters.
func nearest(key string, known []string) []string {
	found := edit.Nearest(key, known)
	if len(found) > 0 && edit.Distance(key, found[0], 2) <= 2 {
		return found
	}
	name := key[strings.LastIndexAny(key, ".")+1:]
	var elsewhere []string
	for _, k := range known {
		if k[strings.LastIndexAny(k, ".")+1:] == name {
			elsewhere = append(elsewhere, k)
		}
	}
	if len(elsewhere) > 0 && len(elsewhere) <= 3 {
		return elsewhere
	}
	return found
}

// suggestion returns an error suffix that suggests keys or variables.
func suggestion(words []string) string {
	if len(words) == 0 {
		return ""
	}
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = fmt.Sprintf("%q", word)
	}
	return "; did you mean " + strings.Join(quoted, " or ") + "?"
}

// UnknownVariable is a MNEME_* environment variable that nothing reads.
type UnknownVariable struct {
	Name    string
	Nearest []string // variables with similar names
}

// String returns a sentence without the variable's value.
func (u UnknownVariable) String() string {
	return u.Name + " is no setting" + suggestion(u.Nearest)
}

// UnknownVariables returns the MNEME_* environment variables that are neither
// configuration keys nor in known, so that misspellings are noticed. They are not errors:
// Kubernetes sets such variables for a service named mneme.
func UnknownVariables(known ...string) (unknown []UnknownVariable) {
	for _, key := range keysOf(reflect.TypeFor[Config](), "") {
		known = append(known, variable(key))
	}
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, envPrefix) && !slices.Contains(known, name) {
			unknown = append(unknown, UnknownVariable{name, nearVariables(name, known)})
		}
	}
	slices.SortFunc(unknown, func(a, b UnknownVariable) int { return strings.Compare(a.Name, b.Name) })
	return unknown
}

// nearVariables returns the known variables that differ from a name in one or two letters.
func nearVariables(name string, known []string) []string {
	found := edit.Nearest(name, known)
	if len(found) == 0 || edit.Distance(name, found[0], 2) > 2 {
		return nil
	}
	return found
}
