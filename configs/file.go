package configs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// lines maps keys to their positions in a configuration file, such as "mneme.yaml:12".
// Keys in lists have an index: auth.issuers[0].taint.
type lines map[string]string

// checkFile checks the keys and the types of the values of a YAML configuration file, and
// returns the lines of its keys. It does neither for files with other extensions.
func checkFile(path string) (lines, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml":
	default:
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("configuration file: %w", err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, unreadable(path, err)
	}
	f := checkedFile{path: path, set: make(lines)}
	for _, root := range document.Content { // one, or none in an empty file
		if root = followed(root); root.Kind != yaml.MappingNode {
			if root.Tag != "!!null" {
				f.fault(root, "must be keys and their values, such as addr: 127.0.0.1:7077")
			}
			continue
		}
		f.mapping(root, reflect.TypeFor[Config](), "")
	}
	return f.set, errors.Join(f.faults...)
}

// parserLine matches the beginning of a parser error.
var parserLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// unreadable returns the error for a file that is not YAML.
func unreadable(path string, err error) error {
	at := path
	if found := parserLine.FindStringSubmatch(err.Error()); found != nil && found[1] != "" {
		at += ":" + found[1]
	}
	return fmt.Errorf("%s: not YAML: %s", at, parserLine.ReplaceAllString(err.Error(), ""))
}

// checkedFile is the state of checking one file.
type checkedFile struct {
	path            string
	set             lines
	faults          []error
	depth, sections int // of nested members calls
}

// at returns the position of a node.
func (f *checkedFile) at(node *yaml.Node) string { return fmt.Sprintf("%s:%d", f.path, node.Line) }

func (f *checkedFile) fault(node *yaml.Node, format string, args ...any) {
	f.faults = append(f.faults, fmt.Errorf("%s: %s", f.at(node), fmt.Sprintf(format, args...)))
}

// mapping checks a mapping whose keys are those of a struct after a prefix.
func (f *checkedFile) mapping(node *yaml.Node, t reflect.Type, prefix string) {
	types := typesOf(t, prefix)
	f.members(node, types, prefix)
}

// maxDepth bounds the nesting of sections, and maxSections their number. Without these bounds a
// small file could take forever: an alias may refer to the section that contains it, and many
// aliases to one section.
const (
	maxDepth    = 10
	maxSections = 1000
)

// members checks the members of a mapping. types has the types of all keys that begin with
// prefix.
func (f *checkedFile) members(node *yaml.Node, types map[string]reflect.Type, prefix string) {
	f.sections++
	switch {
	case f.depth == maxDepth:
		f.fault(node, "sections lie too deep in each other")
		return
	case f.sections == maxSections:
		f.fault(node, "there are too many sections")
		return
	case f.sections > maxSections:
		return
	}
	f.depth++
	defer func() { f.depth-- }()
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := node.Content[i], followed(node.Content[i+1])
		if name.Tag == "!!merge" {
			f.merged(value, types, prefix)
			continue
		}
		key := prefix + strings.ToLower(name.Value)
		if before, twice := f.set[key]; twice {
			f.fault(name, "%s is already set at %s", key, before)
			continue
		}
		t, known := types[key]
		switch {
		case !known && value.Kind == yaml.MappingNode && len(value.Content) > 0 && !strings.Contains(prefix, "["):
			// An unknown section: suggest a known key for each of its keys.
			f.members(value, types, key+".")
			continue
		case !known:
			f.fault(name, "unknown key %q%s", key, didYouMean(key, types))
			continue
		}
		f.set[key] = f.at(name)
		f.value(value, types, t, key)
	}
}

// merged checks the mappings merged into a mapping by <<. The mapping's own keys take
// precedence.
func (f *checkedFile) merged(node *yaml.Node, types map[string]reflect.Type, prefix string) {
	from := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		from = node.Content
	}
	set := f.set
	for _, one := range from {
		f.set = make(lines)
		f.members(followed(one), types, prefix)
	}
	f.set = set
}

// value checks the value of a key.
func (f *checkedFile) value(node *yaml.Node, types map[string]reflect.Type, t reflect.Type, key string) {
	switch {
	case node.Tag == "!!null":
	case t.Kind() == reflect.Struct && node.Kind != yaml.MappingNode:
		f.fault(node, "%s must be a section with keys of its own", key)
	case t.Kind() == reflect.Struct:
		f.members(node, types, key+".")
	case t.Kind() == reflect.Slice && node.Kind == yaml.SequenceNode:
		for i, item := range node.Content {
			at := fmt.Sprintf("%s[%d]", key, i)
			f.set[at] = f.at(item)
			if item = followed(item); t.Elem().Kind() == reflect.Struct && item.Kind == yaml.MappingNode {
				f.mapping(item, t.Elem(), at+".")
			} else {
				f.scalar(item, t.Elem(), at)
			}
		}
	default:
		f.scalar(node, t, key)
	}
}

// scalar checks a value without keys.
func (f *checkedFile) scalar(node *yaml.Node, t reflect.Type, key string) {
	var value any
	err := node.Decode(&value)
	if err == nil {
		err = checkValue(value, t)
	}
	if err != nil {
		f.fault(node, "%s %v", key, err)
	}
}

// followed returns the node that an alias refers to.
func followed(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// typesOf returns the types of a struct's keys and sections, with a prefix.
func typesOf(t reflect.Type, prefix string) map[string]reflect.Type {
	types := make(map[string]reflect.Type)
	for field := range t.Fields() {
		key := prefix + field.Tag.Get("mapstructure")
		types[key] = field.Type
		if field.Type.Kind() == reflect.Struct {
			for below, t := range typesOf(field.Type, key+".") {
				types[below] = t
			}
		}
	}
	return types
}
