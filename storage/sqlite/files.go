package sqlite

import (
	"embed"

	"mneme/storage/sqlcommon"
)

//go:embed sql/*.sql
var sqlFiles embed.FS

// texts are the statements of the storage by name.
var texts = sqlcommon.Statements("storage/sqlite", sqlFiles)
