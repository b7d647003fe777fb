package configs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

const envPrefix = "MNEME_"

// Load returns the configuration. file may be "". A flag overrides everything else if it
// was set and its name is a key with dashes for underscores (--data-dir). Unknown keys in
// the file and invalid values are errors, which name the line of the file, the variable or
// the flag.
func Load(file string, flags *pflag.FlagSet) (Config, error) {
	v := viper.New()
	for key, value := range flatten(reflect.ValueOf(Default()), "") {
		v.SetDefault(key, value)
		_ = v.BindEnv(key, variable(key)) // it fails only for an empty key
		if flag := flags.Lookup(strings.ReplaceAll(key, "_", "-")); flag != nil {
			if err := v.BindPFlag(key, flag); err != nil {
				return Config{}, fmt.Errorf("configuration: %w", err)
			}
		}
	}
	from := origins{flags: flags}
	if file != "" {
		var err error
		if from.lines, err = checkFile(file); err != nil {
			return Config{}, err
		}
		v.SetConfigFile(file)
		if err := v.ReadInConfig(); err != nil {
			return Config{}, fmt.Errorf("configuration file %s: %w", file, err)
		}
	}
	if err := checkVariables(); err != nil {
		return Config{}, err
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
	if violations := c.validate(); len(violations) > 0 {
		return Config{}, from.locate(violations)
	}
	return c, nil
}

// FileDataDir returns data_dir as it is written in a configuration file, "" if it is not
// set. Load may return another value, since environment variables and flags override it.
func FileDataDir(file string) (string, error) {
	v := viper.New()
	v.SetConfigFile(file)
	if err := v.ReadInConfig(); err != nil {
		return "", fmt.Errorf("configuration file %s: %w", file, err)
	}
	return v.GetString("data_dir"), nil
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

// readableError removes the decoder's internal wording from an error.
func readableError(err error) error {
	text := strings.ReplaceAll(err.Error(), "decoding failed due to the following error(s):\n\n", "")
	text = strings.ReplaceAll(text, "'' has invalid keys:", "unknown keys:")
	return errors.New(text)
}
