package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/eventlog"

	"mneme/cmd/mneme/service"
)

// runAsService runs the server under the service manager of Windows if the command line is
// that of a service, and reports whether it is.
func runAsService() (status int, ok bool) {
	flags := len(os.Args) - len(service.Command) - 1
	if flags < 0 || !slices.Equal(os.Args[1:len(os.Args)-flags], service.Command) {
		return 0, false
	}
	events, err := eventlog.Open(service.Name)
	if err != nil {
		return exitFailed, true // a service cannot report it elsewhere
	}
	defer events.Close()
	handler := &windowsService{args: os.Args[len(os.Args)-flags:], out: eventWriter{events}}
	if err := svc.Run(service.Name, handler); err != nil {
		fmt.Fprintln(os.Stderr, "mneme: only the service manager can run this:", err) // the command was run in a console
		_ = events.Error(eventID, err.Error())
		return exitFailed, true
	}
	return handler.status, true
}

// windowsService runs the server until the service manager stops it. It
// implements svc.Handler.
type windowsService struct {
	args   []string // flags of serve
	out    io.Writer
	status int // exit status of serve
}

// stopHint is the maximum duration of a stop, in milliseconds: 20 s for running requests,
// then the time in which the background worker completes its batch.
const stopHint = 40_000

func (s *windowsService) Execute(_ []string, requests <-chan svc.ChangeRequest, changes chan<- svc.Status) (specific bool, status uint32) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"serve"}, s.args...), strings.NewReader(""), io.Discard, s.out)
	}()
	running := svc.Status{State: svc.Running, Accepts: svc.AcceptStop | svc.AcceptShutdown}
	changes <- running
	for {
		select {
		case s.status = <-ended:
			return s.status != exitDone, uint32(s.status) //nolint:gosec // 0 to 2
		case request := <-requests:
			switch request.Cmd {
			case svc.Interrogate:
				changes <- running
			case svc.Stop, svc.Shutdown:
				running = svc.Status{State: svc.StopPending, WaitHint: stopHint}
				changes <- running
				stop()
			}
		}
	}
}

// eventID is the ID of all events, one of those for which EventCreate.exe has a text.
const eventID = 1

// eventLog has the methods of an eventlog.Log that an eventWriter calls.
type eventLog interface {
	Info(id uint32, text string) error
	Warning(id uint32, text string) error
	Error(id uint32, text string) error
}

// eventWriter writes the lines of an slog log, and the message of an exit, as events.
type eventWriter struct{ events eventLog }

func (w eventWriter) Write(line []byte) (int, error) {
	text := string(bytes.TrimSpace(line))
	write := w.events.Info
	switch {
	case text == "":
		return len(line), nil
	case strings.HasPrefix(text, "mneme:"), strings.Contains(text, "level=ERROR"), strings.Contains(text, `"level":"ERROR"`):
		write = w.events.Error
	case strings.Contains(text, "level=WARN"), strings.Contains(text, `"level":"WARN"`):
		write = w.events.Warning
	}
	if err := write(eventID, text); err != nil {
		return 0, fmt.Errorf("event log: %w", err)
	}
	return len(line), nil
}
