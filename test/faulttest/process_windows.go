package faulttest

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// OwnGroup makes a command start in a process group of its own, with its children. Call
// it before the command starts.
func OwnGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// KillWithParent kills leader, a child process, and its children when the test process
// ends for any reason. Call release once the child has exited. It puts the child into a
// job: Windows ends a job's processes when the job's last handle is closed, as at the end
// of this process.
func KillWithParent(leader int) (release func(), err error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = assign(job, leader)
	}
	if err != nil {
		_ = windows.CloseHandle(job) // the first error matters more
		return nil, err
	}
	return func() { _ = windows.CloseHandle(job) }, nil // the process has exited
}

func assign(job windows.Handle, leader int) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(leader)) //nolint:gosec // process IDs are of 32 bits
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process) //nolint:errcheck // nothing was written
	return windows.AssignProcessToJobObject(job, process)
}

// Signal sends a signal to a process in a group of its own. Windows can only kill: Signal
// sends any other signal as Ctrl-Break, which Go programs receive as os.Interrupt.
func Signal(process *os.Process, signal os.Signal) error {
	if signal == os.Kill {
		return process.Kill()
	}
	err := windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(process.Pid)) //nolint:gosec // process IDs are of 32 bits
	if errors.Is(err, windows.ERROR_INVALID_HANDLE) || errors.Is(err, windows.ERROR_INVALID_ACCESS) {
		return ErrNoConsole
	}
	return err
}

// Dump ends a hanging process: on Windows it cannot print goroutines.
func Dump(process *os.Process) error { return process.Kill() }
