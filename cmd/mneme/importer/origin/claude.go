package origin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"mneme/cmd/mneme/importer"
	"mneme/markdown"
)

// claude reads the conversations, memories and projects of a Claude data export.
//
// Sources: claude_conversations_importer.py and claude_projects_importer.py of
// basicmachines-co/basic-memory (uuid, name, created_at, chat_messages with sender, text,
// content and attachments; projects with prompt_template and docs), and programs that read
// memories.json (conversations_memory, project_memories by the project's uuid,
// account_uuid; an array, or one object in a file of its own) and parent_message_uuid.
// Anthropic documents none of it. The field memory_files of newer exports is not imported:
// no example of its contents was found.
type claude struct{}

var claudeShape = shape{fields: []string{
	"uuid", "name", "created_at", "updated_at", "chat_messages",
	"conversations_memory", "project_memories", "account_uuid", "memory_files",
	"prompt_template", "docs", "is_starter_project", "email_address",
}}

func (claude) member(file string) bool {
	folder := path.Base(path.Dir(file))
	return numbered(file, "conversations") || numbered(file, "memories") || numbered(file, "projects") ||
		path.Ext(file) == ".json" && (folder == "memories" || folder == "projects")
}

// claudeItem has the fields of conversations, memories, projects and accounts.
type claudeItem struct {
	UUID     string          `json:"uuid"`
	Name     string          `json:"name"`
	Created  importer.Date   `json:"created_at"`
	Updated  importer.Date   `json:"updated_at"`
	Messages []claudeMessage `json:"chat_messages"`

	Memory   *string           `json:"conversations_memory"`
	Projects map[string]string `json:"project_memories"`
	Account  string            `json:"account_uuid"`

	MemoryFiles json.RawMessage `json:"memory_files"`

	Instructions *string          `json:"prompt_template"`
	Documents    []claudeDocument `json:"docs"`
	Starter      bool             `json:"is_starter_project"`

	Email string `json:"email_address"`
}

// claudeRoot is the parent of a conversation's first message.
const claudeRoot = "00000000-0000-4000-8000-000000000000"

type claudeMessage struct {
	UUID    string        `json:"uuid"`
	Parent  string        `json:"parent_message_uuid"`
	Sender  string        `json:"sender"`
	Text    string        `json:"text"`
	Created importer.Date `json:"created_at"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Attachments []struct {
		Name string `json:"file_name"`
		Text string `json:"extracted_content"`
	} `json:"attachments"`
}

type claudeDocument struct {
	UUID    string        `json:"uuid"`
	Name    string        `json:"filename"`
	Text    string        `json:"content"`
	Created importer.Date `json:"created_at"`
}

func (claude) read(_ string, in io.Reader, out output) error {
	return eachItem(in, claudeShape, out, func(i item) ([]draft, error) {
		var c claudeItem
		if err := i.decode(&c); err != nil {
			return nil, err
		}
		switch {
		case c.Memory != nil || c.Projects != nil:
			var left error
			if compact(c.MemoryFiles) != nil {
				left = skipped("memory_files: are not imported")
			}
			return c.memories(), left
		case c.Messages == nil && c.Documents == nil && c.Instructions == nil:
			if c.Email != "" {
				return nil, skipped("is an account")
			}
			return nil, errForeign
		case c.UUID == "":
			return nil, errors.New("uuid: is missing")
		case c.Messages != nil:
			return conversation("conversation/"+segment(c.UUID), c.Name, c.Created.Or(c.Updated), c.messages()), nil
		case c.Starter:
			return nil, skipped("is a project that Claude made as an example")
		}
		return c.project(), nil
	})
}

// memories returns Claude's memories across conversations and in projects.
func (c claudeItem) memories() []draft {
	prefix := "memory/"
	if c.Account != "" {
		prefix += segment(c.Account) + "/"
	}
	var drafts []draft
	if c.Memory != nil && strings.TrimSpace(*c.Memory) != "" {
		drafts = append(drafts, draft{
			key: prefix + "conversations", text: *c.Memory, kind: "user", tags: []string{"memory"},
			description: "What Claude remembered across conversations",
		})
	}
	for _, id := range slices.Sorted(maps.Keys(c.Projects)) {
		if text := c.Projects[id]; strings.TrimSpace(text) != "" {
			drafts = append(drafts, draft{
				key: prefix + "project/" + segment(id), text: text, kind: "project", tags: []string{"memory"},
				description: "What Claude remembered in a project",
			})
		}
	}
	return drafts
}

// project returns a project's instructions and documents.
func (c claudeItem) project() []draft {
	var drafts []draft
	prefix := "project/" + segment(c.UUID)
	if c.Instructions != nil && strings.TrimSpace(*c.Instructions) != "" {
		drafts = append(drafts, draft{
			key: prefix + "/instructions", text: *c.Instructions, kind: "project", tags: []string{"instructions"},
			description: c.Name, occurred: c.Updated.Or(c.Created),
		})
	}
	for n, document := range c.Documents {
		id := segment(document.UUID)
		if id == "" {
			id = fmt.Sprintf("%03d", n+1)
		}
		drafts = append(drafts, draft{
			key: prefix + "/document/" + id, text: document.Text, kind: "reference", tags: []string{"document"},
			description: document.Name + " (" + c.Name + ")", occurred: document.Created.Or(c.Created),
		}.parts()...)
	}
	return drafts
}

// messages returns the messages of both sides, without regenerated answers and edited
// questions: the latest message and its ancestors.
func (c claudeItem) messages() []message {
	branch := make([]claudeMessage, 0, len(c.Messages))
	byID := make(map[string]int, len(c.Messages))
	latest, linked := 0, false
	for n, m := range c.Messages {
		byID[m.UUID] = n
		linked = linked || m.Parent != ""
		if !m.Created.Moment(time.UTC).Time.Before(c.Messages[latest].Created.Moment(time.UTC).Time) {
			latest = n
		}
	}
	visited := make(map[int]bool)
	for at, ok := latest, linked; ok && !visited[at]; at, ok = byID[c.Messages[at].Parent] {
		visited[at] = true
		branch = append(branch, c.Messages[at])
	}
	slices.Reverse(branch)
	if len(branch) == 0 || branch[0].Parent != "" && branch[0].Parent != claudeRoot {
		branch = c.Messages // the path to the first message is unknown
	}
	var messages []message
	for _, m := range branch {
		role := map[string]string{"human": "User", "user": "User", "assistant": "Assistant"}[m.Sender]
		if role != "" {
			messages = append(messages, message{role: role, text: m.text(), at: m.Created})
		}
	}
	return messages
}

// text returns the text of a message and its attached files, without thoughts and tool
// calls.
func (m claudeMessage) text() string {
	var texts []string
	for _, block := range m.Content {
		if block.Type == "text" && block.Text != "" {
			texts = append(texts, block.Text)
		}
	}
	if len(m.Content) == 0 {
		texts = append(texts, m.Text)
	}
	for _, attachment := range m.Attachments {
		if attachment.Text != "" {
			texts = append(texts, markdown.OneLine(attachment.Name)+":\n"+attachment.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}
