package bearer

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/uplinehq/upline/internal/problem"
)

// Realm names the protection space in challenges (RFC 9110 §11.5).
const Realm = "upline"

// InsufficientScope returns the refusal of a token that lacks scopes the
// operation requires. RFC 6750 §3.1: the response "MAY include the "scope"
// attribute with the scope necessary to access the protected resource".
func InsufficientScope(required ...string) *problem.Error {
	scope := strings.Join(required, " ")
	e := refusal(http.StatusForbidden, "insufficient_scope", "the token does not hold the scope "+scope)
	e.Challenge += fmt.Sprintf(`, scope="%s"`, scope)
	return e
}

// TenantNotGranted returns the refusal of a token that may not act in the tenant of the
// path. It is the same for a tenant that does not exist, so that nobody can find out
// which do. It has no challenge, since no other token of the client would help.
func TenantNotGranted() *problem.Error {
	return problem.Refused(http.StatusForbidden, "the token is not valid for this tenant")
}

// NoCredentials is the answer to a request without a token. RFC 6750 §3.1: it
// "SHOULD NOT include an error code or other error information".
func NoCredentials() *problem.Error {
	e := problem.Refused(http.StatusUnauthorized, "a bearer token is required")
	e.Challenge = fmt.Sprintf(`Bearer realm="%s"`, Realm)
	return e
}

// UserNotApproved returns the refusal of a token whose user is no longer Approved.
func UserNotApproved() *problem.Error { return InvalidToken("the token is not valid any more") }

func InvalidToken(message string) *problem.Error {
	return refusal(http.StatusUnauthorized, "invalid_token", message)
}

func InvalidRequest(message string) *problem.Error {
	return refusal(http.StatusBadRequest, "invalid_request", message)
}

// refusal returns a refusal whose challenge has a code of RFC 6750 §3.1. The message is
// quoted without escapes: RFC 6750 §3 allows neither quotes nor backslashes in it.
func refusal(status int, code, message string) *problem.Error {
	e := problem.Refused(status, message)
	e.Challenge = fmt.Sprintf(`Bearer realm="%s", error="%s", error_description="%s"`, Realm, code, message)
	return e
}
