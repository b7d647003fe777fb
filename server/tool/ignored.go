package tool

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"mneme/server/wire"
)

// clientsOwn are parameters that some clients add to the calls of every tool, whatever its
// schema: https://github.com/n8n-io/n8n/issues/21500 and 22787. Tools ignore them silently.
var clientsOwn = map[string]bool{"toolCallId": true, "sessionId": true, "chatInput": true, "action": true}

const (
	// maxIgnored is how many unknown parameters a call may have.
	maxIgnored = 20
	// maxNamed is how many of them an answer names.
	maxNamed = 5
)

// decodeKnown decodes the known parameters of a call. It ignores unknown parameters that
// clients add themselves. In a call that only reads it ignores other unknown parameters too,
// and the answer names them; a writing call is refused, since an unknown parameter may
// change its meaning.
func (c *call) decodeKnown(input json.RawMessage, into arguments) (given map[string]bool, err error) {
	given, err = rules.Decode(input, into)
	var field *wire.FieldError
	if !errors.As(err, &field) || field.Fault != wire.Unknown {
		return given, err
	}
	members, err := wire.Members(input)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(into)
	for _, m := range members {
		if _, known := into[m.Name]; !known && len(all)-len(into) < maxIgnored && c.mayIgnore(m.Name) {
			all[m.Name] = new(json.RawMessage)
		}
	}
	if given, err = rules.Decode(input, all); err != nil {
		return nil, err
	}
	for name := range all {
		if _, known := into[name]; !known {
			delete(given, name)
			c.ignore(name, into)
		}
	}
	slices.Sort(c.ignored)
	c.maxAnswer -= len(c.note())
	return given, nil
}

// mayIgnore reports whether a call may ignore an unknown parameter.
func (c *call) mayIgnore(name string) bool {
	if i := strings.IndexByte(name, '.'); i >= 0 && parametersOf[name[:i]] != nil {
		return false // a member of a known object
	}
	return clientsOwn[name] || c.reads()
}

// reads reports whether the call is read-only.
func (c *call) reads() bool {
	if c.readOnly || c.name != string(FamilyMemory) {
		return c.readOnly
	}
	var all map[string]json.RawMessage // names of members in their own case
	if json.Unmarshal(c.input, &all) != nil {
		return false
	}
	command, ok := textIn(all["command"])
	if !ok {
		command, _ = textIn(all["action"])
	}
	return slices.Contains(readingCommands, command)
}

// ignore records an unknown parameter, and the parameter that was likely meant.
func (c *call) ignore(name string, into arguments) {
	if clientsOwn[name] {
		return
	}
	if !wire.PlainName(name) {
		name = "a parameter"
	}
	if meant := meantBy(name, c.known(into)); meant != nil {
		name += " (did you mean " + strings.Join(meant, " or ") + "?)"
	}
	c.ignored = append(c.ignored, name)
}

// note returns the member of an answer that names the ignored parameters, or "".
func (c *call) note() string {
	if len(c.ignored) == 0 {
		return ""
	}
	names, err := wire.Marshal(c.ignored[:min(len(c.ignored), maxNamed)])
	if err != nil {
		return ""
	}
	return `"ignored":` + string(names)
}

// hint returns the part of an error about ignored parameters, one of which may be the
// missing one.
func (c *call) hint() string {
	if len(c.ignored) == 0 {
		return ""
	}
	return "; ignored: " + strings.Join(c.ignored[:min(len(c.ignored), maxNamed)], ", ")
}

// addIgnored adds the note to a result: to an object as a member, to a text as the last line.
func (c *call) addIgnored(r *Result) {
	note := c.note()
	switch {
	case note == "":
	case r.Object != nil:
		r.Object = json.RawMessage(withMember(string(r.Object), note))
	case json.Valid([]byte(r.Text)) && strings.HasPrefix(r.Text, "{"):
		r.Text = withMember(r.Text, note)
	case !r.Structured:
		r.Text += "\n{" + note + "}"
	}
}

// withMember adds a member to the text of an object.
func withMember(object, member string) string {
	inner := strings.TrimSuffix(strings.TrimSpace(object), "}")
	if strings.TrimSpace(inner) != "{" {
		inner += ","
	}
	return inner + member + "}"
}
