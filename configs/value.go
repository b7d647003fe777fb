package configs

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/go-viper/mapstructure/v2"

	"mneme/internal/period"
)

// strict rejects values that the decoder would convert silently, such as a
// duration without a unit. Numbers and booleans may still be strings, since
// environment variables have no other type.
func strict(c *mapstructure.DecoderConfig) {
	c.DecodeHook = mapstructure.ComposeDecodeHookFunc(
		decodeDuration,
		mapstructure.StringToSliceHookFunc(","),
	)
}

// decodeDuration decodes durations. One without a unit is an error: "timeout: 30" would mean
// 30 nanoseconds.
func decodeDuration(from, to reflect.Type, data any) (any, error) {
	if to != reflect.TypeFor[time.Duration]() || from == to || data == 0 {
		return data, nil
	}
	text, ok := data.(string)
	if !ok {
		text = fmt.Sprint(data)
	}
	return period.ParseDuration(text)
}

// checkValue returns an error that describes the valid values if value cannot have the
// type t. The error never contains the value, which may be a secret.
func checkValue(value any, t reflect.Type) error {
	c := mapstructure.DecoderConfig{WeaklyTypedInput: true, Result: reflect.New(t).Interface()}
	strict(&c)
	decoder, err := mapstructure.NewDecoder(&c)
	if err != nil {
		return err
	}
	_, truth := value.(bool)
	if err = decoder.Decode(value); err == nil && (!truth || t.Kind() == reflect.Bool) {
		return nil
	}
	switch {
	case t == reflect.TypeFor[time.Duration]():
		_, err := period.ParseDuration(fmt.Sprint(value))
		return err
	case t.Kind() == reflect.Bool:
		return errors.New("must be true or false")
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int64:
		return errors.New("must be a whole number")
	case t.Kind() == reflect.Float64:
		return errors.New("must be a number")
	case t.Kind() == reflect.Slice:
		return errors.New("must be a list")
	}
	return errors.New("must be text")
}
