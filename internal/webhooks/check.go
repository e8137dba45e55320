package webhooks

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/outbound"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// Input is a new subscription, or a partial update of one.
type Input struct {
	URL                           patch.Field[string]
	Events                        patch.Field[[]string]
	Description                   patch.Field[string]
	Headers                       patch.Field[[]Header]
	MaxRetries, RetryDelayMinutes patch.Field[int]
	IsOrdered, IsActive           patch.Field[bool]
}

// sent names the fields that were sent.
func (in Input) sent() (names []string) {
	for _, f := range []struct {
		name string
		sent bool
	}{
		{"url", in.URL.Sent}, {"events", in.Events.Sent}, {"description", in.Description.Sent}, {"headers", in.Headers.Sent},
		{"maxRetries", in.MaxRetries.Sent}, {"retryDelayMinutes", in.RetryDelayMinutes.Sent}, {"isOrdered", in.IsOrdered.Sent}, {"isActive", in.IsActive.Sent},
	} {
		if f.sent {
			names = append(names, f.name)
		}
	}
	return names
}

const (
	maxURL         = 2048
	maxDescription = 1000
	maxHeaders     = 50
	maxHeaderValue = 4096
	mostRetries    = 100
	// mostDelay is a week.
	mostDelay = 7 * 24 * 60

	// "subscription defaults: maxRetries 3; retryDelayMinutes 1" (Limits).
	defaultRetries = 3
	defaultDelay   = 1
)

// inputCheck collects the problems of an input.
type inputCheck struct {
	check.Problems
	development bool
}

// input checks everything that was sent.
func (c *inputCheck) input(in *Input) {
	c.NotNull(in.URL, "url")
	c.NotNull(in.Events, "events")
	c.NotNull(in.IsActive, "isActive")
	c.NotNull(in.IsOrdered, "isOrdered")
	if in.URL.Value != nil {
		c.url(*in.URL.Value)
	}
	if in.Events.Value != nil {
		c.events(*in.Events.Value)
	}
	c.Clearable(&in.Description, maxDescription, "description")
	if in.Headers.Value != nil {
		c.headers(*in.Headers.Value)
	}
	c.within(in.MaxRetries, mostRetries, "maxRetries")
	c.within(in.RetryDelayMinutes, mostDelay, "retryDelayMinutes")
}

func (c *inputCheck) within(f patch.Field[int], most int, field string) {
	if f.Value != nil {
		c.Range(*f.Value, 0, most, field)
	}
}

func (c *inputCheck) url(given string) {
	if text.Trim(given) == "" {
		c.Refuse(problem.Required, "is required", "url")
		return
	}
	if len(given) > maxURL {
		c.TooLong(maxURL, "url")
		return
	}
	u, err := url.Parse(given)
	switch {
	case err != nil || u.Opaque != "" || u.Hostname() == "" || !validPort(u.Port()):
		c.Refuse(problem.InvalidFormat, "must be a URL such as https://example.com/events", "url")
	case u.Scheme != "https" && !(c.development && u.Scheme == "http" && outbound.IsLoopback(u.Hostname())):
		c.Refuse(problem.InvalidFormat, "must begin with https://", "url")
	case u.User != nil:
		c.Refuse(problem.InvalidFormat, "must not hold a user name or password; use a custom header", "url")
	case !c.development && !outbound.Allowed(u.Hostname()):
		c.Refuse(problem.InvalidFormat, "must name a host of the public internet", "url")
	}
}

func validPort(port string) bool {
	if port == "" {
		return true
	}
	n, err := strconv.Atoi(port)
	return err == nil && n > 0 && n < 1<<16
}

func (c *inputCheck) events(names []string) {
	if len(names) == 0 {
		c.Refuse(problem.Required, "must name at least one event type", "events")
	}
	_, unknown := events.Resolve(names)
	for _, i := range unknown {
		c.Refuse(problem.InvalidFormat, "There is no event type of this name", "events", strconv.Itoa(i))
	}
}

func (c *inputCheck) headers(headers []Header) {
	if !c.AtMost(len(headers), maxHeaders, "headers", "headers") {
		return
	}
	seen := map[string]bool{}
	for i, h := range headers {
		name, place := strings.ToLower(h.Name), strconv.Itoa(i)
		switch {
		case !isToken(h.Name):
			c.Refuse(problem.InvalidFormat, "is not a header name", "headers", place, "name")
		case isReserved(name):
			c.Refuse(problem.ReservedName, "is a header that the service sets itself", "headers", place, "name")
		case seen[name]:
			c.Refuse(problem.InvalidFormat, "is given more than once", "headers", place, "name")
		}
		seen[name] = true
		if !isHeaderValue(h.Value.Reveal()) {
			c.Refuse(problem.InvalidFormat, "must be printable ASCII of at most "+strconv.Itoa(maxHeaderValue)+" characters", "headers", place, "value")
		}
	}
}

// isReserved reports whether the service, or HTTP itself, sets a header (api "Webhook
// deliveries").
func isReserved(name string) bool {
	switch name {
	case "host", "connection", "transfer-encoding", "user-agent", "te", "trailer", "upgrade", "keep-alive", "proxy-connection", "expect", "accept-encoding":
		return true
	}
	return strings.HasPrefix(name, "content-") || strings.HasPrefix(name, "webhook-") || strings.HasPrefix(name, "x-webhook-")
}

// isToken is the rule of header names (RFC 9110 §5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		b := s[i]
		alphanumeric := b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
		if !alphanumeric && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(b)) {
			return false
		}
	}
	return s != "" && len(s) <= 256
}

func isHeaderValue(s string) bool {
	for i := range len(s) {
		if s[i] != '\t' && (s[i] < ' ' || s[i] > '~') {
			return false
		}
	}
	return len(s) <= maxHeaderValue
}
