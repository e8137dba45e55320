//go:build !linux

package process

// LeaveStartup does nothing: only Linux maps much more of a program than was read.
func LeaveStartup() {}
