package dbtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// shared returns a folder that the packages of one "go test" share, which tests them one
// by one and side by side: fill fills it, for the first that asks. It is empty where there
// is no such command, and nothing to share. A later run removes it (removeLeftovers).
func shared(name string, fill func(folder string) error) (string, error) {
	command := goTest()
	if command == "" {
		return "", nil
	}
	removeLeftovers()
	folder := filepath.Join(parent(), prefix+command+"-"+name)
	door, err := os.OpenFile(folder+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer door.Close() // which unlocks it
	if err := syscall.Flock(int(door.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	filling := folder + ".filling"
	if err := os.RemoveAll(filling); err != nil { // of a process that was killed
		return "", err
	}
	if err := os.Mkdir(filling, 0o755); err != nil {
		return "", err
	}
	if err := fill(filling); err != nil {
		return "", err
	}
	return folder, os.Rename(filling, folder)
}

// goTest names the "go test" that runs this process by its id and when it was started,
// since ids come again; empty where there is none, or no /proc that tells.
func goTest() string {
	id := os.Getppid()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	if err != nil {
		return ""
	}
	// The name of the program is in brackets; the 20th field behind it is when it began.
	_, named, _ := strings.Cut(string(text), "(")
	program, rest, _ := strings.Cut(named, ") ")
	fields := strings.Fields(rest)
	if program != "go" || len(fields) < 20 {
		return ""
	}
	return fmt.Sprintf("%d-%s", id, fields[19])
}
