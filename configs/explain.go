package configs

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// FromDefault is the source of a value that nothing overrides.
const FromDefault = "default"

// Setting is a key of the configuration with its value and source.
type Setting struct {
	Key    string
	Value  any    // as in JSON; secrets and passwords in URLs are hidden
	Source string // FromDefault, or for example "file mneme.yaml", "variable MNEME_ADDR", "flag --addr"
}

// Text returns the value on one line.
func (s Setting) Text() string {
	if text, ok := s.Value.(string); ok {
		return text
	}
	text, err := json.Marshal(s.Value)
	if err != nil {
		return fmt.Sprint(s.Value)
	}
	return string(text)
}

// Explain returns all settings of a configuration that Load read from a file and flags, in
// the order of Config's fields.
func Explain(config Config, file string, flags *pflag.FlagSet) ([]Setting, error) {
	v := viper.New()
	if file != "" {
		v.SetConfigFile(file)
		if err := v.ReadInConfig(); err != nil {
			return nil, fmt.Errorf("configuration file %s: %w", file, err)
		}
	}
	source := func(key string) string {
		if flag := flags.Lookup(strings.ReplaceAll(key, "_", "-")); flag != nil && flag.Changed {
			return "flag --" + flag.Name
		}
		if os.Getenv(variable(key)) != "" {
			return "variable " + variable(key)
		}
		if v.InConfig(key) {
			return "file " + file
		}
		return FromDefault
	}
	values := flatten(reflect.ValueOf(config), "")
	settings := make([]Setting, 0, len(values))
	for _, key := range keysOf(reflect.TypeFor[Config](), "") {
		settings = append(settings, Setting{Key: key, Value: shown(values[key]), Source: source(key)})
	}
	return settings, nil
}

// keysOf returns the keys of a struct in the order of its fields.
func keysOf(t reflect.Type, prefix string) (keys []string) {
	for field := range t.Fields() {
		key := prefix + field.Tag.Get("mapstructure")
		if field.Type.Kind() == reflect.Struct {
			keys = append(keys, keysOf(field.Type, key+".")...)
		} else {
			keys = append(keys, key)
		}
	}
	return keys
}

// shown returns a value with its secrets hidden.
func shown(value any) any {
	switch v := value.(type) {
	case Secret:
		return v.String()
	case time.Duration:
		return v.String()
	case string:
		u, err := url.Parse(v)
		switch {
		case err != nil || u.Scheme == "" || u.Host == "":
		case u.RawQuery != "": // it may contain a key
			u.RawQuery = "hidden"
			return u.Redacted()
		case u.User != nil:
			return u.Redacted()
		}
	case []string:
		return append([]string{}, v...) // [] rather than null
	case []Issuer:
		issuers := make([]map[string]any, 0, len(v))
		for _, issuer := range v {
			fields := flatten(reflect.ValueOf(issuer), "")
			for key, value := range fields {
				fields[key] = shown(value)
			}
			issuers = append(issuers, fields)
		}
		return issuers
	}
	return value
}
