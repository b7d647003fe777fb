package robutler

import (
	"bytes"
	"encoding/json"
	"time"

	"mneme/acl"
	"mneme/memory"
)

// entry is all of an entry but its value.
type entry struct {
	Key         string     `json:"key"`
	StoreID     string     `json:"storeId"`
	OwnerID     string     `json:"ownerId"`
	Namespace   string     `json:"namespace"`
	Label       string     `json:"label"`
	InContext   bool       `json:"inContext"`
	Encrypted   bool       `json:"encrypted"`
	Type        string     `json:"type,omitempty"`
	Description string     `json:"description,omitempty"`
	Tags        []string   `json:"tags,omitempty"`
	Version     int        `json:"version"`
	ExpiresAt   *time.Time `json:"expiresAt,omitempty"`
	CreatedAt   time.Time  `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
	UpdatedBy   string     `json:"updatedBy"`
}

func entryOf(e *memory.Entry) entry {
	return entry{
		Key: e.Key, StoreID: e.Store, OwnerID: e.Owner, Namespace: e.Namespace, Label: e.Label.String(),
		InContext: e.InContext, Encrypted: e.Encrypted, Type: e.Type, Description: e.Description, Tags: e.Tags,
		Version: e.Version, ExpiresAt: instant(e.ExpiresAt),
		CreatedAt: e.CreatedAt.UTC(), UpdatedAt: e.UpdatedAt.UTC(), UpdatedBy: e.UpdatedBy,
	}
}

// hit is a search result without its value: of a store that the caller may
// search but not read, what the first four fields say alone.
type hit struct {
	Key     string  `json:"key"`
	StoreID string  `json:"storeId"`
	Score   float64 `json:"score"`
	Label   string  `json:"label"`
	*more
}

// more is what a reader of the hit's store sees beside.
type more struct {
	OwnerID   string    `json:"ownerId"`
	Namespace string    `json:"namespace"`
	UpdatedAt time.Time `json:"updatedAt"`
	UpdatedBy string    `json:"updatedBy"`
}

func hitOf(h *memory.Hit) hit {
	out := hit{Key: h.Key, StoreID: h.Store, Score: h.Score, Label: h.Label.String()}
	if h.Level >= acl.Read {
		out.more = &more{OwnerID: h.Owner, Namespace: h.Namespace, UpdatedAt: h.UpdatedAt.UTC(), UpdatedBy: h.UpdatedBy}
	}
	return out
}

// encodeAnswer is what a search answers.
func encodeAnswer(a memory.Answer) ([]byte, error) {
	body := []byte(`{"results":[`)
	for i := range a.Hits {
		text, err := withValue(hitOf(&a.Hits[i]), a.Hits[i].Value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, text...)
	}
	tail := struct {
		Degraded   []string `json:"degraded"`
		Incomplete bool     `json:"incomplete"`
	}{append([]string{}, a.Degraded...), a.Incomplete}
	text, err := marshal(tail)
	if err != nil {
		return nil, err
	}
	body = append(body, "],"...)
	return append(body, text[1:]...), nil
}

// removed answers a delete.
type removed struct {
	Key     string `json:"key"`
	StoreID string `json:"storeId"`
	Deleted bool   `json:"deleted"`
}

// grant answers a share.
type grant struct {
	StoreID   string     `json:"storeId"`
	Grantee   string     `json:"grantee"`
	Level     string     `json:"level"`
	MaxLabel  string     `json:"maxLabel"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
}

func grantOf(g acl.Grant) grant {
	return grant{StoreID: g.Store, Grantee: g.Grantee, Level: g.Level.String(), MaxLabel: g.MaxLabel.String(), ExpiresAt: instant(g.ExpiresAt)}
}

// revoked answers an unshare.
type revoked struct {
	StoreID string `json:"storeId"`
	Grantee string `json:"grantee"`
	Revoked bool   `json:"revoked"`
}

// reach answers what stores there are.
type reach struct {
	Stores []store `json:"stores"`
}

type store struct {
	StoreID   string     `json:"storeId"`
	Kind      string     `json:"kind"`
	Level     string     `json:"level"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
}

func storesOf(infos []memory.StoreInfo) reach {
	out := reach{Stores: make([]store, len(infos))}
	for i, info := range infos {
		out.Stores[i] = store{StoreID: info.Store, Kind: info.Kind, Level: info.Level.String(), ExpiresAt: instant(info.ExpiresAt)}
	}
	return out
}

// withValue encodes a head with the value put in as its last member, byte for
// byte as it came: encoding/json would compact it and escape it for HTML.
func withValue(head any, value json.RawMessage) ([]byte, error) {
	text, err := marshal(head)
	if err != nil {
		return nil, err
	}
	text = append(text[:len(text)-1], `,"value":`...)
	text = append(text, value...)
	return append(text, '}'), nil
}

// marshal encodes without escapes for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// instant is a time, or nil for the zero time.
func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
