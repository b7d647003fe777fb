package harness

import (
	"testing"

	"mneme/configs"
)

func TestWithSchemaTakesBothFormsOfDSN(t *testing.T) {
	for dsn, want := range map[configs.Secret]configs.Secret{
		"postgres://u:p@h:1/d":                 "postgres://u:p@h:1/d?search_path=s",
		"postgresql://h/d?sslmode=disable":     "postgresql://h/d?search_path=s&sslmode=disable",
		"postgres://h/d?search_path=other,too": "postgres://h/d?search_path=s",
		"host=h dbname=d":                      "host=h dbname=d search_path=s",
	} {
		if got, err := withSchema(dsn, "s"); err != nil || got != want {
			t.Errorf("%s: %s, error %v", string(dsn), string(got), err)
		}
	}
}
