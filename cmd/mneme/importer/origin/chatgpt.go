package origin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"mneme/cmd/mneme/importer"
)

// chatGPT reads the conversations of a ChatGPT data export.
//
// Sources: chatgpt_importer.py of basicmachines-co/basic-memory (title, create_time,
// update_time, mapping, parent, children, author.role, content_type, parts, and
// is_visually_hidden_from_conversation; times may be missing), "ChatGPT Export Format" of
// difegam/chatgpt-to-markdown (conversations-000.json and further files in newer exports),
// and published conversations for conversation_id, current_node, recipient and
// is_do_not_remember. OpenAI documents none of it. Saved memories are not imported:
// reports on whether and how an export contains them contradict each other.
type chatGPT struct{}

var chatGPTShape = shape{fields: []string{
	"id", "conversation_id", "title", "create_time", "update_time", "mapping", "current_node", "is_do_not_remember",
}}

func (chatGPT) member(file string) bool { return numbered(file, "conversations") }

type chatGPTConversation struct {
	ID          string                     `json:"id"`
	Other       string                     `json:"conversation_id"`
	Title       json.RawMessage            `json:"title"` // may be a number
	Created     importer.Date              `json:"create_time"`
	Updated     importer.Date              `json:"update_time"`
	Mapping     map[string]json.RawMessage `json:"mapping"`
	Current     string                     `json:"current_node"`
	NotRemember bool                       `json:"is_do_not_remember"`
}

type chatGPTNode struct {
	parent   string
	children []string
	message  *chatGPTMessage
}

// UnmarshalJSON implements json.Unmarshaler: a node with an invalid message keeps its
// position in the tree.
func (n *chatGPTNode) UnmarshalJSON(data []byte) error {
	var raw struct{ Parent, Children, Message json.RawMessage }
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	given := func(value json.RawMessage, into any) error {
		if len(value) == 0 {
			return nil
		}
		return json.Unmarshal(value, into)
	}
	return errors.Join(given(raw.Parent, &n.parent), given(raw.Children, &n.children), given(raw.Message, &n.message))
}

type chatGPTMessage struct {
	Author  struct{ Role string } `json:"author"`
	Created importer.Date         `json:"create_time"`
	Content struct {
		Type  string            `json:"content_type"`
		Parts []json.RawMessage `json:"parts"`
	} `json:"content"`
	Recipient string `json:"recipient"`
	Metadata  struct {
		Hidden bool `json:"is_visually_hidden_from_conversation"`
	} `json:"metadata"`
}

// text returns the text of a part of a message: a text, or the transcript of speech.
func (m chatGPTMessage) text(part json.RawMessage) (text string, ok bool) {
	var speech struct {
		Type string `json:"content_type"`
		Text string `json:"text"`
	}
	switch {
	case json.Unmarshal(part, &text) == nil:
		return text, true
	case json.Unmarshal(part, &speech) != nil:
		return "", false
	case speech.Type == "audio_transcription":
		return speech.Text, true
	}
	return "", true // an image or a recording
}

func (chatGPT) read(_ string, in io.Reader, out output) error {
	return eachItem(in, chatGPTShape, out, func(i item) ([]draft, error) {
		var c chatGPTConversation
		if err := i.decode(&c); err != nil {
			return nil, err
		}
		if c.ID == "" {
			c.ID = c.Other
		}
		switch {
		case c.Mapping == nil:
			return nil, errForeign
		case c.ID == "":
			return nil, errors.New("conversation_id: is missing")
		case c.NotRemember:
			return nil, skipped("is marked is_do_not_remember")
		}
		messages, odd := c.messages()
		drafts := conversation("conversation/"+segment(c.ID), scalar(c.Title), c.Created.Or(c.Updated), messages)
		switch {
		case odd > 0 && len(drafts) == 0:
			return nil, errors.New("mapping: has no message that can be read")
		case odd > 0:
			drafts[0].notes = append(drafts[0].notes, fmt.Sprintf("mapping: %d messages or parts of them have fields of the wrong type, and are left out", odd))
		}
		return drafts, nil
	})
}

// scalar returns a text or a number as text; "" for other values.
func scalar(value json.RawMessage) string {
	var text string
	var number json.Number
	switch {
	case json.Unmarshal(value, &text) == nil:
		return text
	case json.Unmarshal(value, &number) == nil:
		return number.String()
	}
	return ""
}

// messages returns the messages of the user and the assistant, without regenerated answers
// and edited questions. odd counts the unreadable ones.
func (c chatGPTConversation) messages() (messages []message, odd int) {
	nodes := make(map[string]chatGPTNode, len(c.Mapping))
	unread := make(map[string]bool)
	for id, raw := range c.Mapping {
		var node chatGPTNode
		if err := json.Unmarshal(raw, &node); err != nil {
			unread[id] = true
			node.message = nil
		}
		nodes[id] = node
	}
	for _, id := range c.branch(nodes) {
		m := nodes[id].message
		if unread[id] {
			odd++
		}
		if m == nil || m.Metadata.Hidden || m.Recipient != "" && m.Recipient != "all" {
			continue
		}
		role := map[string]string{"user": "User", "assistant": "Assistant"}[m.Author.Role]
		if role == "" || m.Content.Type != "text" && m.Content.Type != "multimodal_text" {
			continue
		}
		var texts []string
		for _, part := range m.Content.Parts {
			text, ok := m.text(part)
			if !ok {
				odd++
			}
			if text != "" {
				texts = append(texts, text)
			}
		}
		messages = append(messages, message{role: role, text: strings.Join(texts, "\n"), at: m.Created})
	}
	return messages, odd
}

// branch returns the nodes from the root to the current node or, if that is unknown, to
// the end of the latest branch.
func (c chatGPTConversation) branch(nodes map[string]chatGPTNode) []string {
	var ids []string
	visited := make(map[string]bool)
	visit := func(id string) bool {
		_, known := nodes[id]
		if !known || visited[id] {
			return false
		}
		visited[id] = true
		ids = append(ids, id)
		return true
	}
	if _, known := nodes[c.Current]; known {
		for id := c.Current; visit(id); id = nodes[id].parent {
		}
		slices.Reverse(ids)
		return ids
	}
	var roots []string
	for id, node := range nodes {
		if _, known := nodes[node.parent]; !known {
			roots = append(roots, id)
		}
	}
	if len(roots) == 0 {
		return nil
	}
	for id := slices.Min(roots); visit(id); {
		if children := nodes[id].children; len(children) > 0 {
			id = children[len(children)-1]
		}
	}
	return ids
}
