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

// lock locks all bytes that a file could have.
func lock(f *os.File) error { return lockAll(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// tryLock is lock without a wait.
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

// CreatePrivate creates a file that its owner, the system and its administrators alone
// can access, open for reading and writing. An existing file is fs.ErrExist.
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

// Open opens a file or folder that may be replaced meanwhile, for reading. Windows refuses that for
// the moment of a replacement: it is tried for some two seconds.
func Open(path string) (f *os.File, err error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	var handle windows.Handle
	err = whileShared(func() (err error) {
		handle, err = windows.CreateFile(name, windows.GENERIC_READ,
			windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0) // of folders, too
		return err
	}, windows.ERROR_SHARING_VIOLATION)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

// MakeFolder creates a folder that its owner, the system and its administrators alone
// can access, with what will be in it, and the folders above it, unless it exists.
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
			return nil // another process has just made it
		}
	}
	if err != nil {
		return &os.PathError{Op: "mkdir", Path: path, Err: err}
	}
	return nil
}

// private returns the attributes of a new file or folder: a protected list that gives
// all access to this process's user, the system (SY) and the administrators (BA), whom
// nothing could be kept from, as from root elsewhere. OpenSSH asks the same of keys.
// inherit is how the entries of a folder go on to what is in it.
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

// secrecy is the access to a file by which it is read or changed, or others get access.
const secrecy = windows.FILE_READ_DATA | windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA |
	windows.WRITE_DAC | windows.WRITE_OWNER | windows.GENERIC_ALL | windows.GENERIC_READ | windows.GENERIC_WRITE

// CheckPrivate returns an error that wraps ErrExposed if others than the owner, this
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
	if err != nil || list == nil { // no list is access for all
		return errors.Join(fmt.Errorf("%w: it has no access list", ErrExposed), err)
	}
	for i := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &entry); err != nil {
			return err
		}
		sid := (*windows.SID)(unsafe.Pointer(&entry.SidStart))
		switch {
		case entry.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE, // others deny, or are audits
			entry.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0, // for what is in the folder
			entry.Mask&secrecy == 0,
			trusted[sid.String()]:
		default:
			return fmt.Errorf("%w: its access list has %s", ErrExposed, accountName(sid))
		}
	}
	return nil
}

// trustees returns who may have access to a private file with a descriptor, as SIDs.
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
		"S-1-3-0": true, "S-1-3-4": true, // whoever creates, whoever owns
	}
	if service, _, _, err := windows.LookupSID("", ServiceAccount); err == nil { // there may be no service
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
// creates one, which the system deletes at once.
func CheckWritable(dir string) error {
	f, err := os.CreateTemp(dir, ".mneme-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// RestrictCommand returns the command that gives a file or folder to its owner alone.
// path is quoted for a shell.
func RestrictCommand(path string, folder bool) string {
	rights := "F"
	if folder {
		rights = "(OI)(CI)F"
	}
	return "icacls " + path + ` /inheritance:r /grant:r "%USERNAME%:` + rights + `"`
}

// shareTries is how often a rename is tried while another program has the file open,
// and shareWait how long the first wait is; each further one is a millisecond longer.
// Together they are two seconds, as in Go's cmd/internal/robustio: readers and virus
// scanners are done by then.
const (
	shareTries = 60
	shareWait  = 5 * time.Millisecond
)

// Replace gives a file the name of another, which it replaces. While a program has the
// other open, Windows refuses that: it is tried for some two seconds.
func Replace(from, to string) error {
	return whileShared(func() error { return os.Rename(from, to) }, windows.ERROR_SHARING_VIOLATION, windows.ERROR_ACCESS_DENIED)
}

// moveToNew gives a file a name that must be free.
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

// whileShared repeats what fails because another program has a file open, by which
// Windows fails with one of the errors in shared.
func whileShared(do func() error, shared ...syscall.Errno) error {
	for try := 1; ; try++ {
		err := do()
		if !isOneOf(err, shared) || try == shareTries {
			return err
		}
		time.Sleep(shareWait + time.Duration(try)*time.Millisecond)
	}
}

// SyncDir does nothing: NTFS logs the names of files itself, and syncs no folders.
func SyncDir(string) error { return nil }

// FreeBytes returns the free space for this process on the disk of a folder.
func FreeBytes(dir string) (uint64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return free, err
}

// ProcessTime returns the processor time that this process has used, which on a shared
// machine says more than the clock.
func ProcessTime() time.Duration {
	var created, ended, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &kernel, &user) != nil {
		return 0 // it cannot fail for the own process
	}
	const unit = 100 // nanoseconds in which times of processes are counted
	ticks := func(t windows.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return time.Duration((ticks(kernel) + ticks(user)) * unit)
}
