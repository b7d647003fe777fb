package system

// unusableName has a character that file names must not contain.
const unusableName = "a?b"
