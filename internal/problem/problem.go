// Package problem has the one type of refusals: by the areas, of the content of a
// request, and by the layers in front of them, of the request itself.
//
// Code that refuses returns *Error, or List if several fields are wrong at once. It
// reaches the door as a Go error, also inside the errors of GraphQL, and each door writes
// it in one place: graph/refusal for GraphQL, rest/problem.go for REST. Any other error
// is a fault of the server: it is logged, and the caller sees a generic text with a trace
// id.
//
// A message never repeats the refused value, which may be sensitive.
package problem

import (
	"cmp"
	"errors"
	"regexp"
	"strings"
)

// Category is the kind of a problem, which decides its HTTP status.
type Category string

// The categories.
const (
	Validation   Category = "VALIDATION"
	Forbidden    Category = "FORBIDDEN"
	NotFound     Category = "NOT_FOUND"
	Conflict     Category = "CONFLICT"
	Precondition Category = "PRECONDITION"
	Unavailable  Category = "UNAVAILABLE" // the same request may succeed in a moment
)

// Code names a problem for machines. The values are those of the GraphQL enum
// UserErrorCode.
type Code string

// The codes; the SDL describes each.
const (
	Required                 Code = "REQUIRED"
	InvalidFormat            Code = "INVALID_FORMAT"
	OutOfRange               Code = "OUT_OF_RANGE"
	TooLong                  Code = "TOO_LONG"
	NullNotAllowed           Code = "NULL_NOT_ALLOWED"
	UnknownField             Code = "UNKNOWN_FIELD"
	UnknownSortField         Code = "UNKNOWN_SORT_FIELD"
	PageSizeExceeded         Code = "PAGE_SIZE_EXCEEDED"
	InvalidCursor            Code = "INVALID_CURSOR"
	CursorExpired            Code = "CURSOR_EXPIRED"
	UnknownAgent             Code = "UNKNOWN_AGENT"
	UnknownUpline            Code = "UNKNOWN_UPLINE"
	UnknownCertificationType Code = "UNKNOWN_CERTIFICATION_TYPE"
	UnknownProviderCompany   Code = "UNKNOWN_PROVIDER_COMPANY"
	UnknownJurisdiction      Code = "UNKNOWN_JURISDICTION"
	UnknownStatus            Code = "UNKNOWN_STATUS"
	UnknownLevel             Code = "UNKNOWN_LEVEL"
	UnknownTeam              Code = "UNKNOWN_TEAM"
	PeriodEndsBeforeStart    Code = "PERIOD_ENDS_BEFORE_START"
	CircularHierarchy        Code = "CIRCULAR_HIERARCHY"
	AgentCodeInUse           Code = "AGENT_CODE_IN_USE"
	DuplicateKey             Code = "DUPLICATE_KEY"
	DuplicateApplication     Code = "DUPLICATE_APPLICATION"
	AgentExistsForTaxID      Code = "AGENT_EXISTS_FOR_TAX_ID"
	InvalidTransition        Code = "INVALID_TRANSITION"
	ReferenceInUse           Code = "REFERENCE_IN_USE"
	AgentHasDownline         Code = "AGENT_HAS_DOWNLINE"
	AgentHasCommissions      Code = "AGENT_HAS_COMMISSIONS"
	UnknownTag               Code = "UNKNOWN_TAG"
	UnknownProduct           Code = "UNKNOWN_PRODUCT"
	ReservedName             Code = "RESERVED_NAME"
	UnknownRole              Code = "UNKNOWN_ROLE"
	UnknownScope             Code = "UNKNOWN_SCOPE"
	WeakPassword             Code = "WEAK_PASSWORD"
	SystemRole               Code = "SYSTEM_ROLE"
	LastAdministrator        Code = "LAST_ADMINISTRATOR"
	PreviousSecretCounts     Code = "PREVIOUS_SECRET_COUNTS"
	NotApplicable            Code = "NOT_APPLICABLE"
	ContractOutdated         Code = "CONTRACT_OUTDATED"
	PreconditionFailed       Code = "PRECONDITION_FAILED"
	NotFoundCode             Code = "NOT_FOUND"
	ForbiddenCode            Code = "FORBIDDEN"
	UnavailableCode          Code = "UNAVAILABLE"
)

// The codes of refusals of the request itself. The userErrors of a payload never have one
// of these.
const (
	Unauthenticated = "UNAUTHENTICATED"
	RateLimited     = "RATE_LIMITED"
	Timeout         = "TIMEOUT"
	InvalidRequest  = "INVALID_REQUEST"
	internal        = "INTERNAL_SERVER_ERROR"
)

// Error is one refusal.
type Error struct {
	Category Category
	Code     Code
	// Message is for people; it is the message of the REST body.
	Message string
	// Field is the path into the input, from its root: {"teams", "0", "membership",
	// "level"}. It is nil if the failure is not about one field.
	Field []string
	// Details are extra facts for machines. They never hold a refused value.
	Details map[string]any

	// Status is the HTTP status of a refusal of the request itself: for its token, its
	// turn, its size or its form. 0 means that its content is refused; then the Category
	// decides.
	Status int
	// RetryAfter is the number of seconds after which the same request may succeed; 0 for
	// none.
	RetryAfter int
	// Challenge is the value of WWW-Authenticate, empty for none.
	Challenge string
	// Scope is the scope that the token lacks, if nothing else is wrong.
	Scope string
}

// statuses are the HTTP statuses of the categories (specification, Errors).
var statuses = map[Category]int{Validation: 400, Forbidden: 403, NotFound: 404, Conflict: 409, Precondition: 412, Unavailable: 503}

// HTTPStatus is the status of an answer that consists of e alone.
func (e *Error) HTTPStatus() int {
	if e.Status != 0 {
		return e.Status
	}
	return cmp.Or(statuses[e.Category], statuses[Validation])
}

func (e *Error) Error() string {
	if len(e.Field) == 0 {
		return string(e.Code) + ": " + e.Message
	}
	return string(e.Code) + " " + strings.Join(e.Field, ".") + ": " + e.Message
}

// With returns a copy of e that carries one more detail.
func (e *Error) With(key string, value any) *Error {
	c := *e
	c.Details = make(map[string]any, len(e.Details)+1)
	for k, v := range e.Details {
		c.Details[k] = v
	}
	c.Details[key] = value
	return &c
}

// Under returns a copy of e whose field path is moved below prefix.
func (e *Error) Under(prefix ...string) *Error {
	c := *e
	c.Field = append(append([]string{}, prefix...), e.Field...)
	return &c
}

// refusedAs are the codes of refusals of the request itself, by status; any other status
// has InvalidRequest.
var refusedAs = map[int]Code{401: Unauthenticated, 403: ForbiddenCode, 429: RateLimited, 500: internal, 503: UnavailableCode, 504: Timeout}

// Refused returns a refusal of the request itself, whatever its content.
func Refused(status int, message string) *Error {
	return &Error{Status: status, Code: cmp.Or(refusedAs[status], InvalidRequest), Message: message}
}

// Invalid returns a validation problem about a field.
func Invalid(code Code, message string, field ...string) *Error {
	return &Error{Category: Validation, Code: code, Message: message, Field: field}
}

// Missing returns a not-found problem, such as "agent" with "no agent has this code".
func Missing(code Code, message string, field ...string) *Error {
	return &Error{Category: NotFound, Code: code, Message: message, Field: field}
}

// Clash returns a conflict with stored state.
func Clash(code Code, message string, field ...string) *Error {
	return &Error{Category: Conflict, Code: code, Message: message, Field: field}
}

// List is several problems of one request, reported together.
type List []*Error

func (l List) Error() string {
	texts := make([]string, len(l))
	for i, e := range l {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "; ")
}

// Add appends problems and skips nil ones.
func (l *List) Add(problems ...*Error) {
	for _, e := range problems {
		if e != nil {
			*l = append(*l, e)
		}
	}
}

// Err returns the list as an error, nil when it is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// From returns the problems that err carries, nil when it is a fault of the
// server.
func From(err error) List {
	var list List
	if errors.As(err, &list) {
		return list
	}
	var one *Error
	if errors.As(err, &one) {
		return List{one}
	}
	return nil
}

// Has reports whether err carries a problem with the code.
func Has(err error, code Code) bool {
	for _, e := range From(err) {
		if e.Code == code {
			return true
		}
	}
	return false
}

// nameForm matches texts that look like names. Other texts are not repeated: a value in
// the wrong place could be sensitive.
var nameForm = regexp.MustCompile(`^[A-Za-z_]{1,50}$`)

// NameOf returns a name that a client made up, if it may be repeated in an answer.
func NameOf(given string) string {
	if nameForm.MatchString(given) {
		return given
	}
	return "?"
}
