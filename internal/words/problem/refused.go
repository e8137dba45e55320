package problem

// What a client is told of what no rule says, in the same words at every door.

// TooMany is for who has used up its requests.
func TooMany() *Error {
	return Refused(429, "Too many requests; try again later")
}

// Busy is for what found no place.
func Busy() *Error {
	return Refused(503, "The server is busy; try again later")
}

// Interrupted is for what was given up: its caller has left, or the server ends.
func Interrupted() *Error {
	return Refused(503, "The operation was interrupted.")
}

// TooLate is for what ran out of time.
func TooLate() *Error { return Refused(504, "The request took too long.") }

// Fault is what is told of a fault of the server, which the log knows by the trace id.
func Fault() *Error {
	return Refused(500, "The server could not answer. Name the trace id when you ask for help.")
}
