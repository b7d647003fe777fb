package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mneme/test/wait"
)

// The API and the command manage one list of keys, which every server of the data folder
// follows: the one that changed it at once, others within a second.
func TestTheAPIAndTheCommandManageTheSameKeys(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	platform := strings.TrimSpace(must(t, s.dir, "", "token", "--agent", "operator", "--scope", "platform"))
	status := func(s *serving, key string) int {
		status, _ := s.call(key, http.MethodGet, "/v1/stores", "")
		return status
	}
	var made struct {
		Secret string
		Key    struct{ ID string }
	}
	code, body := s.call(platform, http.MethodPost, "/v1/admin/keys", `{"agent":"job","name":"by the API","scopes":["platform"]}`)
	if err := json.Unmarshal([]byte(body), &made); code != http.StatusCreated || err != nil {
		t.Fatalf("status %d, %v", code, err)
	}
	if got := status(s, made.Secret); got != http.StatusOK {
		t.Errorf("status %d with the key of the API", got)
	}
	byCommand := decode[struct{ ID, Key string }](t, must(t, s.dir, "", "token", "--agent", "job", "--api-key", "--name", "by the command", "--json"))
	code, body = s.call(made.Secret, http.MethodGet, "/v1/admin/keys?agent=job", "")
	if code != http.StatusOK || !strings.Contains(body, "by the API") || !strings.Contains(body, byCommand.ID) {
		t.Errorf("status %d, %s", code, body)
	}
	list := listTokens(t, s.dir, "--agent", "job")
	if len(list) != 2 || list[0].ID != made.Key.ID || list[1].ID != byCommand.ID {
		t.Fatalf("%+v", list)
	}

	// Another server of the folder, as after a restart.
	other := serve(t, s.dir)
	if got := status(other, made.Secret); got != http.StatusOK {
		t.Errorf("status %d from a server that started later", got)
	}
	if code, body := other.call(platform, http.MethodDelete, "/v1/admin/keys/"+byCommand.ID, ""); code != http.StatusNoContent {
		t.Fatalf("status %d, %s", code, body)
	}
	if got := status(other, byCommand.Key); got != http.StatusUnauthorized {
		t.Errorf("status %d from the server that revoked it", got)
	}
	wait.Until(t, "the first server refuses it", func() error {
		if got := status(s, byCommand.Key); got != http.StatusUnauthorized {
			return fmt.Errorf("status %d", got)
		}
		return nil
	})
	must(t, s.dir, "", "token", "--revoke", made.Key.ID)
	for _, one := range []*serving{s, other} {
		wait.Until(t, "both servers refuse the other", func() error {
			if got := status(one, made.Secret); got != http.StatusUnauthorized {
				return fmt.Errorf("status %d", got)
			}
			return nil
		})
	}
}
