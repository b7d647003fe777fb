// Package deploy_test checks that docker-compose.yml and the files in this folder
// agree with what .ci/run starts natively. It also runs the role script and
// mneme's command with the environment of docker-compose.yml.
package deploy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	milvus "github.com/milvus-io/milvus-sdk-go/v2/client"
	"go.yaml.in/yaml/v3"
)

const (
	composeFile = "../docker-compose.yml"
	checks      = "../.ci/steps"
)

// composeConfig is the part of a compose file that the tests check.
type composeConfig struct {
	Services map[string]service
	Networks map[string]struct{ Internal bool }
	Volumes  map[string]any
}

type service struct {
	Image       string
	Command     any
	Restart     string
	Environment map[string]string
	EnvFile     []string `yaml:"env_file"`
	Ports       []string
	Volumes     []string
	Networks    []string
	MemLimit    string `yaml:"mem_limit"`
	Healthcheck *struct{ Test []string }
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	ReadOnly    bool                                  `yaml:"read_only"`
}

func compose(t *testing.T) composeConfig {
	t.Helper()
	var c composeConfig
	if err := yaml.Unmarshal(read(t, composeFile), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// server returns the server address in an environment variable. If it is not
// set, server skips the test, or fails it if CI is set.
func server(t *testing.T, variable string) string {
	t.Helper()
	address := os.Getenv(variable)
	if address == "" {
		missing(t, variable+" is not set")
	}
	return address
}

func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}

func TestOnlyMnemeIsPublishedAndOnLoopback(t *testing.T) {
	for name, s := range compose(t).Services {
		switch {
		case name != "mneme" && len(s.Ports) > 0:
			t.Errorf("%s publishes %v", name, s.Ports)
		case name == "mneme" && (len(s.Ports) != 1 || !strings.HasPrefix(s.Ports[0], "${MNEME_PUBLISH:-127.0.0.1:")):
			t.Errorf("mneme publishes %v", s.Ports)
		}
	}
}

func TestEveryServiceHasRestartPolicyLimitHealthCheckVolumeAndInternalNetwork(t *testing.T) {
	c := compose(t)
	dockerfile := string(read(t, "Dockerfile"))
	for name, s := range c.Services {
		if s.Restart != "unless-stopped" || s.MemLimit == "" {
			t.Errorf("%s: restart %q, mem_limit %q", name, s.Restart, s.MemLimit)
		}
		// mneme's health check is in its image.
		if name == "mneme" && strings.Contains(dockerfile, "\nHEALTHCHECK ") {
			continue
		}
		if s.Healthcheck == nil || len(s.Healthcheck.Test) == 0 {
			t.Errorf("%s has no health check", name)
		}
		if _, ok := c.Volumes[name]; !ok || !strings.HasPrefix(s.Volumes[0], name+":/") {
			t.Errorf("%s: volumes %v", name, s.Volumes)
		}
		for _, network := range s.Networks {
			if !c.Networks[network].Internal {
				t.Errorf("%s: network %s is not internal", name, network)
			}
		}
	}
}

func TestSecretsHaveNoDefaults(t *testing.T) {
	secret := regexp.MustCompile(`PASSWORD|SECRET`)
	for name, s := range compose(t).Services {
		for variable, value := range s.Environment {
			if secret.MatchString(variable) && !strings.Contains(value, ":?") {
				t.Errorf("%s: %s is not required", name, variable)
			}
		}
		if strings.Contains(s.Environment["MNEME_POSTGRES_DSN"], ":PGPASSWORD") {
			t.Errorf("%s: a password in the DSN would have to be escaped", name)
		}
	}
}

func TestTheChecksUseTheVersionsAndSettingsOfCompose(t *testing.T) {
	c, run := compose(t), "\n"
	for _, file := range []string{"install.sh", "services.sh"} {
		run += string(read(t, filepath.Join(checks, file)))
	}
	version := strings.TrimPrefix(c.Services["milvus"].Image, "milvusdb/milvus:v")
	if !strings.Contains(run, "\nMILVUS=milvus=="+version+" ") {
		t.Errorf("compose runs Milvus %s, .ci/run another", version)
	}
	if !slices.Equal(c.Services["milvus"].EnvFile, []string{"deploy/milvus.env"}) || !strings.Contains(run, ". deploy/milvus.env") {
		t.Error("compose and .ci/run do not both use deploy/milvus.env")
	}
	if !strings.Contains(fmt.Sprint(c.Services["postgres"].Volumes), "./deploy/postgres.conf:") || !strings.Contains(run, "deploy/postgres.conf") {
		t.Error("compose and .ci/run do not both use deploy/postgres.conf")
	}
	for _, setting := range strings.Fields(c.Services["postgres"].Environment["POSTGRES_INITDB_ARGS"]) {
		if !strings.Contains(run, setting) {
			t.Errorf(".ci/run initializes PostgreSQL without %s", setting)
		}
	}
}

// The servers that the tests use have the versions and settings of compose.
func TestTheServersOfTheTestsMatchCompose(t *testing.T) {
	c := compose(t)
	t.Run("postgres", func(t *testing.T) {
		db := administrator(t)
		var major int
		if err := db.QueryRow(t.Context(), "SELECT current_setting('server_version_num')::int / 10000").Scan(&major); err != nil {
			t.Fatal(err)
		}
		if image := c.Services["postgres"].Image; !strings.HasPrefix(image, fmt.Sprintf("postgres:%d-", major)) {
			t.Errorf("compose runs %s, the tests ran on %d", image, major)
		}
		if os.Getenv("CI") == "" {
			return // a developer's server may have other settings
		}
		for line := range strings.Lines(string(read(t, "postgres.conf"))) {
			name, _, ok := strings.Cut(line, " = ")
			if !ok || strings.HasPrefix(line, "#") || name == "listen_addresses" || name == "max_connections" {
				continue // .ci/run may pass these as arguments
			}
			var file string
			err := db.QueryRow(t.Context(), "SELECT coalesce(sourcefile, '') FROM pg_settings WHERE lower(name) = $1", strings.TrimSpace(name)).Scan(&file)
			if err != nil || !strings.HasSuffix(file, "/postgres.conf") {
				t.Errorf("%s is set by %q, not by postgres.conf: %v", name, file, err)
			}
		}
	})
	t.Run("milvus", func(t *testing.T) {
		addr := server(t, "MNEME_MILVUS_ADDR")
		client, err := milvus.NewClient(t.Context(), milvus.Config{Address: addr})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		version, err := client.GetVersion(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if image := c.Services["milvus"].Image; image != "milvusdb/milvus:"+strings.TrimSuffix(version, "-lite") { // the version of PyPI's server ends with -lite
			t.Errorf("compose runs %s, the tests ran on %s", image, version)
		}
	})
}
