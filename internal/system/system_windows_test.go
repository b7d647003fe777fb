package system

// unusableName has a character that names cannot have.
const unusableName = "a?b"
