package backend

// ConfigError is a configuration that names no usable part: the caller's
// mistake, and not a failure of a part.
type ConfigError struct{ Err error }

// Error implements error.
func (e *ConfigError) Error() string { return e.Err.Error() }

// Unwrap implements the interface of package errors.
func (e *ConfigError) Unwrap() error { return e.Err }
