package transport

import (
	"mime"
	"strconv"
	"strings"
)

// The two media types of a response.
const (
	mediaJSON    = "application/json"
	mediaGraphQL = "application/graphql-response+json"
)

// negotiate chooses the media type of the response from the Accept header. A
// client that names no type, or only */*, is taken to be an older one and gets
// application/json.
func negotiate(accept []string) (mediaType string, acceptable bool) {
	all := strings.TrimSpace(strings.Join(accept, ","))
	switch all {
	case "", "*/*", mediaJSON:
		return mediaJSON, true
	case mediaGraphQL:
		return mediaGraphQL, true
	}
	asJSON, asGraphQL := preference{}, preference{}
	position := 0
	for part := range strings.SplitSeq(all, ",") {
		media, parameters, err := mime.ParseMediaType(part)
		if err != nil || !acceptsUTF8(parameters) {
			continue
		}
		position--
		q := quality(parameters)
		asJSON.consider(media, mediaJSON, q, position)
		asGraphQL.consider(media, mediaGraphQL, q, position)
	}
	switch {
	case asGraphQL.over(asJSON):
		return mediaGraphQL, true
	case asJSON.quality > 0:
		return mediaJSON, true
	}
	return mediaJSON, false
}

// preference is how much a client wants one media type. The most specific
// range that matches the type decides (RFC 9110, section 12.5.1).
type preference struct {
	quality     float64
	specificity int
	position    int // higher is earlier in the header
}

func (p *preference) consider(media, offer string, quality float64, position int) {
	specificity := 0
	switch media {
	case offer:
		specificity = 3
	case "application/*":
		specificity = 2
	case "*/*":
		specificity = 1
	}
	if specificity > p.specificity {
		*p = preference{quality: quality, specificity: specificity, position: position}
	}
}

// over reports whether p is wanted, and more than other.
func (p preference) over(other preference) bool {
	switch {
	case p.quality != other.quality:
		return p.quality > other.quality
	case p.quality == 0:
		return false
	case p.specificity != other.specificity:
		return p.specificity > other.specificity
	}
	return p.position > other.position
}

func quality(parameters map[string]string) float64 {
	text, ok := parameters["q"]
	if !ok {
		return 1
	}
	q, err := strconv.ParseFloat(text, 64)
	if err != nil || !(q >= 0 && q <= 1) {
		return 0
	}
	return q
}

func acceptsUTF8(parameters map[string]string) bool {
	charset, ok := parameters["charset"]
	return !ok || isUTF8(charset)
}

func isUTF8(charset string) bool {
	return strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "utf8")
}
