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

// Load returns the configuration. file may be "". A flag overrides everything
// else if it was set and its name is a key with dashes for underscores
// (--data-dir). Unknown keys in the file and invalid values are errors.
func Load(file string, flags *pflag.FlagSet) (Config, error) {
	v := viper.New()
	for key, value := range flatten(reflect.ValueOf(Default()), "") {
		v.SetDefault(key, value)
		_ = v.BindEnv(key, variable(key)) // it fails only without a key
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
		return Config{}, fmt.Errorf("configuration: %w", readableError(err))
	}
	if c.DataDir == "" {
		dir, err := DefaultDataDir()
		if err != nil {
			return Config{}, fmt.Errorf("configuration: data_dir is not set and has no default: %w", err)
		}
		c.DataDir = dir
	}
	dir, err := filepath.Abs(c.DataDir)
	if err != nil {
		return Config{}, fmt.Errorf("configuration: data_dir: %w", err)
	}
	c.DataDir = dir
	if err := c.validate(); err != nil {
		return Config{}, fmt.Errorf("configuration: %w", err)
	}
	return c, nil
}

// FileDataDir returns data_dir of a configuration file as it is written there, "" if it
// is not set. Load may return another, since environment variables and flags override it.
func FileDataDir(file string) (string, error) {
	v := viper.New()
	v.SetConfigFile(file)
	if err := v.ReadInConfig(); err != nil {
		return "", fmt.Errorf("configuration file %s: %w", file, err)
	}
	return v.GetString("data_dir"), nil
}

// UnknownVariables returns the names of MNEME_* environment variables that are
// neither configuration keys nor in known, so that misspellings are noticed.
// They are not errors: Kubernetes sets such variables for a service named
// mneme.
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

// DefaultDataDir returns the directory mneme in the user's data directory:
// $XDG_DATA_HOME, else ~/.local/share, on macOS ~/Library/Application Support, on
// Windows %LOCALAPPDATA%.
func DefaultDataDir() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "mneme"), nil
	}
	if runtime.GOOS == "windows" {
		dir, err := os.UserCacheDir() // %LOCALAPPDATA%, which is for data that stays on the machine
		return filepath.Join(dir, "mneme"), err
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

// variable returns the environment variable of a key.
func variable(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// flatten returns the values of a struct's fields by key, nested keys joined by
// dots.
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

// strict rejects values that the decoder would convert silently, such as a
// duration without a unit. Numbers and booleans may still be strings, since
// environment variables have no other type.
func strict(c *mapstructure.DecoderConfig) {
	c.DecodeHook = mapstructure.ComposeDecodeHookFunc(
		rejectBareDuration,
		mapstructure.StringToTimeDurationHookFunc(),
		mapstructure.StringToSliceHookFunc(","),
	)
}

// rejectBareDuration rejects durations without a unit: "timeout: 30" would mean
// 30 nanoseconds.
func rejectBareDuration(from, to reflect.Type, data any) (any, error) {
	if to == reflect.TypeFor[time.Duration]() && from != to && from.Kind() != reflect.String && data != 0 {
		return nil, errors.New("a duration needs a unit, for example 30s")
	}
	return data, nil
}

// readableError removes the decoder's internal wording from an error.
func readableError(err error) error {
	text := strings.ReplaceAll(err.Error(), "decoding failed due to the following error(s):\n\n", "")
	text = strings.ReplaceAll(text, "'' has invalid keys:", "unknown keys:")
	return errors.New(text)
}
