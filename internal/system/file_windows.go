package system

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// lock locks the whole range of bytes that a file could have.
func lock(f *os.File) error { return lockAll(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// tryLock is lock, but does not wait.
func tryLock(f *os.File) (bool, error) {
	err := lockAll(f, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func lockAll(f *os.File, flags uint32) error {
	const all = ^uint32(0)
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, all, all, new(windows.Overlapped))
}

// CreatePrivate creates a file that only its owner, the system and its administrators can
// access, open for reading and writing. If the file exists, the error is fs.ErrExist.
func CreatePrivate(path string) (*os.File, error) {
	attributes, err := private("")
	if err != nil {
		return nil, err
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	handle, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE, attributes, windows.CREATE_NEW, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

// Open opens a file or folder that may be replaced concurrently, for reading. Windows
// refuses that during the replacement: Open retries for some two seconds.
func Open(path string) (f *os.File, err error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	var handle windows.Handle
	err = whileShared(func() (err error) {
		handle, err = windows.CreateFile(name, windows.GENERIC_READ,
			windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0) // folders too
		return err
	}, windows.ERROR_SHARING_VIOLATION)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

// MakeFolder creates a folder that only its owner, the system and its administrators can
// access, including its future contents, and its missing parents.
func MakeFolder(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	attributes, err := private("OICI")
	if err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return &os.PathError{Op: "mkdir", Path: path, Err: err}
	}
	err = windows.CreateDirectory(name, attributes)
	if errors.Is(err, windows.ERROR_ALREADY_EXISTS) {
		if info, failed := os.Stat(path); failed == nil && info.IsDir() {
			return nil // another process has just created it
		}
	}
	if err != nil {
		return &os.PathError{Op: "mkdir", Path: path, Err: err}
	}
	return nil
}

// private returns the attributes of a new file or folder: a protected access list that
// gives all access to this process's user, the system (SY) and the administrators (BA),
// who, like root elsewhere, could not be excluded. OpenSSH requires the same of keys.
// inherit is how the contents of a folder inherit its entries.
func private(inherit string) (*windows.SecurityAttributes, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	text := "D:P"
	for _, trustee := range []string{user.User.Sid.String(), "SY", "BA"} {
		text += "(A;" + inherit + ";FA;;;" + trustee + ")"
	}
	descriptor, err := windows.SecurityDescriptorFromString(text)
	if err != nil {
		return nil, err
	}
	return &windows.SecurityAttributes{
		Length:             uint32(unsafe.Sizeof(windows.SecurityAttributes{})),
		SecurityDescriptor: descriptor,
	}, nil
}

// secrecy are the access rights to read or change a file, or to grant access to it.
const secrecy = windows.FILE_READ_DATA | windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA |
	windows.WRITE_DAC | windows.WRITE_OWNER | windows.GENERIC_ALL | windows.GENERIC_READ | windows.GENERIC_WRITE

// CheckPrivate returns an error that wraps ErrExposed if anyone but the owner, this
// process's user, the system, its administrators and mneme's service can access an open
// file or folder.
func CheckPrivate(f *os.File) error {
	descriptor, err := windows.GetSecurityInfo(windows.Handle(f.Fd()), windows.SE_FILE_OBJECT,
		windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return err
	}
	trusted, err := trustees(descriptor)
	if err != nil {
		return err
	}
	list, _, err := descriptor.DACL()
	if err != nil || list == nil { // no list grants access to everyone
		return errors.Join(fmt.Errorf("%w: it has no access list", ErrExposed), err)
	}
	for i := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &entry); err != nil {
			return err
		}
		sid := (*windows.SID)(unsafe.Pointer(&entry.SidStart))
		switch {
		case entry.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE, // other entries deny, or audit
			entry.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0, // only for the contents of the folder
			entry.Mask&secrecy == 0,
			trusted[sid.String()]:
		default:
			return fmt.Errorf("%w: its access list has %s", ErrExposed, accountName(sid))
		}
	}
	return nil
}

// trustees returns the SIDs that may have access to a private file with a descriptor.
func trustees(descriptor *windows.SECURITY_DESCRIPTOR) (map[string]bool, error) {
	owner, _, err := descriptor.Owner()
	if err != nil {
		return nil, err
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	trusted := map[string]bool{
		owner.String(): true, user.User.Sid.String(): true,
		"S-1-5-18": true, "S-1-5-32-544": true, // the system, its administrators
		"S-1-3-0": true, "S-1-3-4": true, // the creator, the owner
	}
	if service, _, _, err := windows.LookupSID("", ServiceAccount); err == nil { // the service may not exist
		trusted[service.String()] = true
	}
	return trusted, nil
}

// accountName returns the name of an account or group, or else its SID.
func accountName(sid *windows.SID) string {
	account, domain, _, err := sid.LookupAccount("")
	if err != nil {
		return sid.String()
	}
	return domain + `\` + account
}

// CheckWritable returns an error if this process cannot create files in a folder. It
// creates a file, which the system deletes at once.
func CheckWritable(dir string) error {
	f, err := os.CreateTemp(dir, ".mneme-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// RestrictCommand returns the command that restricts a file or folder to its owner. path
// is quoted for a shell.
func RestrictCommand(path string, folder bool) string {
	rights := "F"
	if folder {
		rights = "(OI)(CI)F"
	}
	return "icacls " + path + ` /inheritance:r /grant:r "%USERNAME%:` + rights + `"`
}

// shareTries is the number of attempts to rename while another program has the file open,
// and shareWait the first wait; each further wait is a millisecond longer. The sum is two
// seconds, as in Go's cmd/internal/robustio: readers and virus scanners finish by then.
const (
	shareTries = 60
	shareWait  = 5 * time.Millisecond
)

// Replace renames a file, and replaces the file with the new name. Windows refuses that
// while a program has the replaced file open: Replace retries for some two seconds.
func Replace(from, to string) error {
	return whileShared(func() error { return os.Rename(from, to) }, windows.ERROR_SHARING_VIOLATION, windows.ERROR_ACCESS_DENIED)
}

// moveToNew renames a file to a name that must be free.
func moveToNew(from, to string) error {
	source, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	target, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	err = windows.MoveFileEx(source, target, windows.MOVEFILE_WRITE_THROUGH)
	if err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

// whileShared retries do while it fails with one of the errors in shared, which Windows
// returns while another program has a file open.
func whileShared(do func() error, shared ...syscall.Errno) error {
	for try := 1; ; try++ {
		err := do()
		if !isOneOf(err, shared) || try == shareTries {
			return err
		}
		time.Sleep(shareWait + time.Duration(try)*time.Millisecond)
	}
}

// SyncDir does nothing: NTFS journals the names of files itself, and cannot sync folders.
func SyncDir(string) error { return nil }

// FreeBytes returns the free space on the disk of a folder that this process can use.
func FreeBytes(dir string) (uint64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return free, err
}

// ProcessTime returns the processor time of this process, a better measure than the clock
// on a shared machine.
func ProcessTime() time.Duration {
	var created, ended, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &kernel, &user) != nil {
		return 0 // it cannot fail for the own process
	}
	const unit = 100 // nanoseconds: the unit of process times
	ticks := func(t windows.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return time.Duration((ticks(kernel) + ticks(user)) * unit)
}
