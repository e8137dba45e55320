package input

// IdempotencyKey is the header with the key of a request that is run once.
const IdempotencyKey = "Idempotency-Key"

// ChangeReason is the header with the reason of a change whose request has no body.
const ChangeReason = "Change-Reason"

// HeaderArguments are the arguments of a tool that stand for headers.
var HeaderArguments = map[string]string{"idempotencyKey": IdempotencyKey, "ifMatch": "If-Match", "reason": ChangeReason}

// ArgumentOf returns the argument that stands for a header.
func ArgumentOf(header string) (name string, ok bool) {
	for name, h := range HeaderArguments {
		if h == header {
			return name, true
		}
	}
	return "", false
}

// Header returns what the caller calls a header: for a tool, an argument.
func (c *Checker) Header(field string) []string {
	if argument, ok := ArgumentOf(field); ok && c.Masked {
		return []string{argument}
	}
	return []string{field}
}
