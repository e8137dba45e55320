package problem

// Refusals of requests for reasons that no rule of the specification names, in the same
// words at every door.

// TooMany refuses a caller that has used up its rate.
func TooMany() *Error {
	return Refused(429, "Too many requests; try again later")
}

// Busy refuses a request for which the server has no capacity.
func Busy() *Error {
	return Refused(503, "The server is busy; try again later")
}

// Interrupted refuses a request that was given up because its caller has left or the
// server ends.
func Interrupted() *Error {
	return Refused(503, "The operation was interrupted.")
}

// TooLate refuses a request that ran out of time.
func TooLate() *Error { return Refused(504, "The request took too long.") }

// Fault stands for a fault of the server, which the trace id finds in the log.
func Fault() *Error {
	return Refused(500, "The server could not answer. Name the trace id when you ask for help.")
}
