package rest

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/problem"
)

const (
	jsonMediaType = "application/json"
	csvMediaType  = "text/csv"
)

// accepted are the media ranges of a request with their weights (RFC 9110 §12.5.1); an
// empty map accepts every type.
type accepted map[string]float64

func readAccept(r *http.Request) accepted {
	ranges := accepted{}
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		name, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		weight := 1.0
		if q, given := params["q"]; given {
			if weight, err = strconv.ParseFloat(q, 64); err != nil || !(weight >= 0 && weight <= 1) {
				continue
			}
		}
		ranges[name] = max(ranges[name], weight)
	}
	return ranges
}

// weight returns the weight of a media type, 0 if it is not accepted. Of the ranges that
// match it, the most specific decides.
func (a accepted) weight(mediaType string) float64 {
	if len(a) == 0 {
		return 1
	}
	kind, _, _ := strings.Cut(mediaType, "/")
	for _, name := range []string{mediaType, kind + "/*", "*/*"} {
		if weight, ok := a[name]; ok {
			return weight
		}
	}
	return 0
}

// negotiate chooses between JSON, the default, and CSV, which only lists have.
func negotiate(r *http.Request, hasCSV bool) (csv bool, err error) {
	ranges := readAccept(r)
	asJSON, offered := ranges.weight(jsonMediaType), jsonMediaType
	asCSV := 0.0
	if hasCSV {
		asCSV, offered = ranges.weight(csvMediaType), jsonMediaType+" and "+csvMediaType
	}
	if asJSON == 0 && asCSV == 0 {
		return false, &problem.Error{Status: http.StatusNotAcceptable, Code: "NOT_ACCEPTABLE", Message: "The path serves " + offered}
	}
	return asCSV > asJSON, nil
}
