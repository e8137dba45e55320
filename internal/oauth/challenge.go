package oauth

import (
	"fmt"
	"net/http"
	"strings"
)

// Error is a refusal of a request for what its token is, or lacks. The door
// writes the body; the status and the challenge are the same for all doors.
type Error struct {
	// Status is the HTTP status: 400, 401 or 403; 503 when nothing can be said
	// about the token now.
	Status int
	// Code is the error code of RFC 6750 §3.1. It is empty when the request had
	// no token, or had a good one for another tenant, and with 503.
	Code string
	// Message is for people. It never repeats anything of the token.
	Message string
	// Challenge is the value of the WWW-Authenticate header, empty for none.
	Challenge string
}

func (e *Error) Error() string {
	if e.Code == "" {
		return "oauth: " + e.Message
	}
	return "oauth: " + e.Code + ": " + e.Message
}

// InsufficientScope returns the refusal of a token that lacks scopes the
// operation requires. RFC 6750 §3.1: the response "MAY include the "scope"
// attribute with the scope necessary to access the protected resource".
func InsufficientScope(required ...string) *Error {
	scope := strings.Join(required, " ")
	e := refusal(http.StatusForbidden, "insufficient_scope", "the token does not hold the scope "+scope)
	e.Challenge += fmt.Sprintf(`, scope="%s"`, scope)
	return e
}

// TenantNotGranted returns the refusal of a token that may not act in the tenant
// of the path. It is the same for a tenant that does not exist, so that nobody
// can find out which do. No other token of this client would help, so there is
// no challenge.
func TenantNotGranted() *Error {
	return &Error{Status: http.StatusForbidden, Message: "the token is not valid for this tenant"}
}

// noCredentials is the answer to a request without a token. RFC 6750 §3.1: it
// "SHOULD NOT include an error code or other error information".
func noCredentials() *Error {
	return &Error{
		Status:    http.StatusUnauthorized,
		Message:   "a bearer token is required",
		Challenge: fmt.Sprintf(`Bearer realm="%s"`, realm),
	}
}

// UserNotApproved returns the refusal of a token whose user may not act any more.
func UserNotApproved() *Error { return invalidToken("the token is not valid any more") }

func invalidToken(message string) *Error {
	return refusal(http.StatusUnauthorized, "invalid_token", message)
}

func invalidRequest(message string) *Error {
	return refusal(http.StatusBadRequest, "invalid_request", message)
}

// refusal builds an error whose challenge has a code. The message goes between
// quotes as it is: RFC 6750 §3 allows neither quotes nor backslashes in it.
func refusal(status int, code, message string) *Error {
	return &Error{
		Status: status, Code: code, Message: message,
		Challenge: fmt.Sprintf(`Bearer realm="%s", error="%s", error_description="%s"`, realm, code, message),
	}
}
