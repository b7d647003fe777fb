package markdown

import (
	"errors"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"mneme/acl"
	"mneme/memory"
)

// field parses one field of the frontmatter into the note.
func (p *parser) field(name string, value *yaml.Node) (err error) {
	n := p.note
	switch name {
	case "name":
		if n.Name, err = nameOf(value); err == nil {
			err = memory.CheckKey(n.Name)
		}
	case "type":
		if n.Type, err = textOf(value); err == nil {
			err = memory.CheckType(n.Type)
		}
	case "description":
		if n.Description, err = textOf(value); err == nil {
			err = memory.CheckDescription(n.Description)
		}
	case "namespace":
		if n.Namespace, err = nameOf(value); err == nil {
			err = memory.CheckNamespace(n.Namespace)
		}
	case "tags":
		if n.Tags, err = namesOf(value); err == nil {
			err = memory.CheckTags(n.Tags)
		}
	case "store":
		if n.Store, err = textOf(value); err == nil && n.Store != "" {
			err = acl.CheckID(n.Store)
		}
	case "label":
		var text string
		if text, err = textOf(value); err == nil {
			n.Label, err = acl.ParseLabel(text)
		}
		if err != nil {
			err = errors.New("must be PUBLIC, INTERNAL, CONFIDENTIAL or RESTRICTED")
		}
	case "in_context":
		n.InContext, err = boolOf(value)
	case "encrypted":
		n.Encrypted, err = boolOf(value)
	case "json":
		p.json, err = boolOf(value)
	case "occurred_at":
		var text string
		if text, err = textOf(value); err == nil && strings.TrimSpace(text) != "" {
			var ok bool
			if n.OccurredAt, ok = memory.ReadMoment(text, p.zone); !ok {
				n.OccurredAt, n.Undated = memory.Moment{}, text
			}
		}
	case "expires_at":
		n.ExpiresAt, err = timeOf(value)
	case "deleted_at":
		n.DeletedAt, err = timeOf(value)
	}
	return err
}

// textOf returns the text of a scalar as written, also of a number. For null it returns "".
func textOf(value *yaml.Node) (string, error) {
	if value.Kind != yaml.ScalarNode {
		return "", errors.New("must be text")
	}
	switch value.ShortTag() {
	case "!!null":
		return "", nil
	case "!!str", "!!int", "!!float", "!!bool", "!!timestamp":
		return value.Value, nil
	}
	return "", errors.New("must be text")
}

func textsOf(value *yaml.Node) ([]string, error) {
	if value.Kind == yaml.ScalarNode && value.ShortTag() == "!!null" {
		return nil, nil
	}
	if value.Kind != yaml.SequenceNode {
		return nil, errors.New("must be a list of strings: [one, another]")
	}
	var texts []string
	for _, item := range value.Content {
		if item.Kind == yaml.ScalarNode && item.ShortTag() == "!!null" { // [garden, ] and [garden, null] have one element
			continue
		}
		text, err := textOf(item)
		if err != nil {
			return nil, errors.New("must be a list of strings: [one, another]")
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// nameOf is textOf for a name, in the normal form of entries.
func nameOf(value *yaml.Node) (string, error) {
	name, err := textOf(value)
	return memory.NormalName(name), err
}

// namesOf is textsOf for names, in the normal form of entries.
func namesOf(value *yaml.Node) ([]string, error) {
	names, err := textsOf(value)
	for i, name := range names {
		names[i] = memory.NormalName(name)
	}
	return names, err
}

func boolOf(value *yaml.Node) (bool, error) {
	var b bool
	if value.Kind != yaml.ScalarNode || value.ShortTag() != "!!bool" || value.Decode(&b) != nil {
		return false, errors.New("must be true or false")
	}
	return b, nil
}

// timeOf parses a time in RFC 3339, or a date, which means midnight UTC.
func timeOf(value *yaml.Node) (time.Time, error) {
	if value.Kind == yaml.ScalarNode {
		if value.ShortTag() == "!!null" {
			return time.Time{}, nil
		}
		for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
			if t, err := time.Parse(layout, value.Value); err == nil {
				return t.UTC(), nil
			}
		}
	}
	return time.Time{}, errors.New("must be a time such as 2026-11-21T09:30:00Z")
}
