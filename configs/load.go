package configs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

const envPrefix = "MNEME_"

// Load puts the configuration together. file may be "". A flag that was given
// and whose name is a key with dashes for underscores (--data-dir) goes
// before everything else. An unknown key in the file is an error, as is a
// value that breaks a rule.
func Load(file string, flags *pflag.FlagSet) (Config, error) {
	v := viper.New()
	for key, value := range flatten(reflect.ValueOf(Default()), "") {
		v.SetDefault(key, value)
		// Without an error: it only asks for at least one name.
		_ = v.BindEnv(key, variable(key))
		if flag := flags.Lookup(strings.ReplaceAll(key, "_", "-")); flag != nil {
			if err := v.BindPFlag(key, flag); err != nil {
				return Config{}, fmt.Errorf("configuration: %w", err)
			}
		}
	}
	if file != "" {
		v.SetConfigFile(file)
		if err := v.ReadInConfig(); err != nil {
			return Config{}, fmt.Errorf("configuration file %s: %w", file, err)
		}
	}
	var c Config
	if err := v.UnmarshalExact(&c, strict); err != nil {
		return Config{}, fmt.Errorf("configuration: %w", reword(err))
	}
	if c.DataDir == "" {
		dir, err := DefaultDataDir()
		if err != nil {
			return Config{}, fmt.Errorf("configuration: data_dir is not set, and there is no default: %w", err)
		}
		c.DataDir = dir
	}
	dir, err := filepath.Abs(c.DataDir)
	if err != nil {
		return Config{}, fmt.Errorf("configuration: data_dir: %w", err)
	}
	c.DataDir = dir
	if err := c.check(); err != nil {
		return Config{}, fmt.Errorf("configuration: %w", err)
	}
	return c, nil
}

// UnknownVariables are the names of set MNEME_* variables that mean nothing
// here, known aside: a misspelt one would go unnoticed. They are no error,
// since Kubernetes sets such variables for a service of that name.
func UnknownVariables(known ...string) []string {
	keys := flatten(reflect.ValueOf(Default()), "")
	for key := range keys {
		known = append(known, variable(key))
	}
	var unknown []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, envPrefix) && !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// DefaultDataDir is mneme in the folder where the user's programs keep data.
func DefaultDataDir() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "mneme"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "mneme"), nil
	}
	return filepath.Join(home, ".local", "share", "mneme"), nil
}

// variable is the environment variable of a key.
func variable(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// flatten gives the keys of a struct with dots between levels, and their
// values.
func flatten(v reflect.Value, prefix string) map[string]any {
	flat := make(map[string]any)
	for i := range v.NumField() {
		key := prefix + v.Type().Field(i).Tag.Get("mapstructure")
		if field := v.Field(i); field.Kind() == reflect.Struct {
			for k, value := range flatten(field, key+".") {
				flat[k] = value
			}
		} else {
			flat[key] = field.Interface()
		}
	}
	return flat
}

// strict refuses what the weak decoder would bend into shape, such as a list
// where a word belongs. Numbers and switches may still come as text, since
// variables have no other type.
func strict(c *mapstructure.DecoderConfig) {
	c.DecodeHook = mapstructure.ComposeDecodeHookFunc(
		refuseBareDuration,
		mapstructure.StringToTimeDurationHookFunc(),
		mapstructure.StringToSliceHookFunc(","),
	)
}

// refuseBareDuration: "timeout: 30" would mean 30 nanoseconds.
func refuseBareDuration(from, to reflect.Type, data any) (any, error) {
	if to == reflect.TypeFor[time.Duration]() && from != to && from.Kind() != reflect.String && data != 0 {
		return nil, errors.New("a duration needs its unit, such as 30s")
	}
	return data, nil
}

// reword takes the decoder's own names out of its errors.
func reword(err error) error {
	text := strings.ReplaceAll(err.Error(), "decoding failed due to the following error(s):\n\n", "")
	text = strings.ReplaceAll(text, "'' has invalid keys:", "unknown keys:")
	return errors.New(text)
}
