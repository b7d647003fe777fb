package origin

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"mneme/cmd/mneme/importer"
)

// chatGPT reads the conversations of a ChatGPT data export.
//
// Sources: chatgpt_importer.py of basicmachines-co/basic-memory (title, create_time,
// update_time, mapping, parent, children, author.role, content_type, parts, and
// is_visually_hidden_from_conversation; times may be missing), "ChatGPT Export Format"
// of difegam/chatgpt-to-markdown (conversations-000.json and further files in newer
// exports), and conversations that people published for conversation_id, current_node,
// recipient and is_do_not_remember. OpenAI documents none of it. Saved memories are
// left out: accounts of whether and how an export has them contradict each other.
type chatGPT struct{}

var chatGPTShape = shape{fields: []string{
	"id", "conversation_id", "title", "create_time", "update_time", "mapping", "current_node", "is_do_not_remember",
}}

func (chatGPT) member(file string) bool { return numbered(file, "conversations") }

type chatGPTConversation struct {
	ID          string                     `json:"id"`
	Other       string                     `json:"conversation_id"`
	Title       string                     `json:"title"`
	Created     importer.Date              `json:"create_time"`
	Updated     importer.Date              `json:"update_time"`
	Mapping     map[string]json.RawMessage `json:"mapping"`
	Current     string                     `json:"current_node"`
	NotRemember bool                       `json:"is_do_not_remember"`
}

type chatGPTNode struct {
	Parent   string   `json:"parent"`
	Children []string `json:"children"`
	Message  *struct {
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
	} `json:"message"`
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
		messages, err := c.messages()
		if err != nil {
			return nil, err
		}
		return conversation("conversation/"+segment(c.ID), c.Title, c.Created.Or(c.Updated), messages), nil
	})
}

// messages returns what the user and the assistant wrote, without the answers that
// were made again and the questions that were changed.
func (c chatGPTConversation) messages() ([]message, error) {
	nodes := make(map[string]chatGPTNode, len(c.Mapping))
	for id, raw := range c.Mapping {
		var node chatGPTNode
		if err := json.Unmarshal(raw, &node); err != nil {
			return nil, errors.New("mapping: has a message with a field of the wrong type")
		}
		nodes[id] = node
	}
	var messages []message
	for _, id := range c.branch(nodes) {
		m := nodes[id].Message
		if m == nil || m.Metadata.Hidden || m.Recipient != "" && m.Recipient != "all" {
			continue
		}
		role := map[string]string{"user": "User", "assistant": "Assistant"}[m.Author.Role]
		if role == "" || m.Content.Type != "text" && m.Content.Type != "multimodal_text" {
			continue
		}
		var texts []string
		for _, part := range m.Content.Parts {
			var text string
			if json.Unmarshal(part, &text) == nil && text != "" { // else an image or a recording
				texts = append(texts, text)
			}
		}
		messages = append(messages, message{role: role, text: strings.Join(texts, "\n"), at: m.Created})
	}
	return messages, nil
}

// branch returns the nodes from the root to the current one or, where that is not
// known, to the end of the latest branch.
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
		for id := c.Current; visit(id); id = nodes[id].Parent {
		}
		slices.Reverse(ids)
		return ids
	}
	var roots []string
	for id, node := range nodes {
		if _, known := nodes[node.Parent]; !known {
			roots = append(roots, id)
		}
	}
	if len(roots) == 0 {
		return nil
	}
	for id := slices.Min(roots); visit(id); {
		if children := nodes[id].Children; len(children) > 0 {
			id = children[len(children)-1]
		}
	}
	return ids
}
