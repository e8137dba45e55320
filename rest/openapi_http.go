package rest

// What the engine adds to every path that it fits: ETags, conditions, keys of
// requests, previews and CSV.

var etagHeader = object{"description": "The version of the record, for If-Match and If-None-Match.", "schema": object{"type": "string"}}

func describeHeaderParameters(e *endpoint) []any {
	text := object{"type": "string"}
	var list []any
	if e.revalidates() {
		list = append(list, describeParameter("header", "If-None-Match", "ETags the client has, or *: 304 when one is that of the record.", text))
	}
	if e.conditional() {
		list = append(list, describeParameter("header", "If-Match",
			"ETags, or *. The change is made only when the record has the version of one of them, else 412.", text))
	}
	if e.keyed() {
		list = append(list, describeParameter("header", idempotencyHeader,
			"A new text for each new request. A repeated one with the same key gets the first one's answer for 24 hours, and changes nothing.",
			object{"type": "string", "minLength": 1, "maxLength": maxIdempotencyKey, "pattern": "^[!-~]+$"}))
	}
	return list
}

// What any path can answer when more is asked of it than it can do.
var (
	retryAfterHeader    = object{"description": "When to try again, in seconds.", "schema": object{"type": "integer", "minimum": 1}}
	unavailableResponse = object{"description": "The server is busy: nothing was done.", "content": problemResponse["content"],
		"headers": object{"Retry-After": retryAfterHeader}}
	rateLimitedResponse = object{"description": "The client, or its agency, sent too many requests: nothing was done.", "content": problemResponse["content"],
		"headers": object{
			"Retry-After":         retryAfterHeader,
			"RateLimit-Limit":     rateHeader("Requests that may follow each other at once."),
			"RateLimit-Remaining": rateHeader("Those that are left of them."),
			"RateLimit-Reset":     rateHeader("Seconds until all of them are there again."),
			"RateLimit-Policy":    object{"description": "The limit, and the seconds in which it fills again: 1000;w=10.", "schema": object{"type": "string"}},
		}}
)

func rateHeader(description string) object {
	return object{"description": description, "schema": object{"type": "integer", "minimum": 0}}
}

// describeOwnHeaders adds those of a success that the engine writes.
func describeOwnHeaders(e *endpoint, headers object) {
	switch e.route.outcome {
	case found, changed, created, upserted:
		if hasVersion(e.rows) {
			headers["ETag"] = etagHeader
		}
	case listed, tabled:
		for name, description := range map[string]string{
			"Page-Index": "The page, from 1.", "Page-Size": "Rows in a page.", "Total-Count": "Matching items across all pages.",
		} {
			headers[name] = object{"description": description + " With CSV only.", "schema": object{"type": "integer"}}
		}
	}
	if e.rows != nil {
		headers[unreadableHeader] = object{"description": "The properties whose stored values cannot be shown, such as items.0.status; they are null, in CSV empty. Absent when there are none.",
			"schema": object{"type": "string"}}
	}
	if e.keyed() {
		headers[replayedHeader] = object{"description": "true when the answer is that of an earlier request with the same Idempotency-Key.", "schema": object{"type": "string"}}
	}
}

// revalidates reports whether a client can ask if the record that it has is still
// the one: 304.
func (e *endpoint) revalidates() bool { return e.route.outcome == found && hasVersion(e.rows) }

// hasVersion reports whether a record has the property that versions are made
// of.
func hasVersion(record *plan) bool {
	for _, m := range record.members {
		if m.name == lastModified || m.spread && hasVersion(m.plan) {
			return true
		}
	}
	return false
}

// content describes the body of a success in each of its media types. A preview
// is answered with 200.
func (d *describer) content(e *endpoint, status int, schema object) object {
	if e.preview != nil && status == 200 {
		schema = object{"anyOf": []any{schema, ref(previewName(e))}}
	}
	content := object{jsonMediaType: object{"schema": schema}}
	if e.hasCSV() {
		content[csvMediaType] = object{"schema": object{
			"type":        "string",
			"description": "A header row, then the rows of the page; sensitive values are masked.",
		}}
	}
	return content
}

// preview defines what a dry run answers.
func (d *describer) preview(e *endpoint) error {
	if e.preview == nil {
		return nil
	}
	changes, err := d.output(e.preview, false)
	if err != nil {
		return err
	}
	return d.define(previewName(e), object{
		"type":        "object",
		"description": "What a request would change. Nothing was.",
		"required":    []string{"applied", e.previewed},
		"properties":  object{"applied": object{"const": false}, e.previewed: changes},
	})
}

// previewName tells the previews of one history from those of several.
func previewName(e *endpoint) string {
	if e.preview.kind == listPlan {
		return "Previews"
	}
	return "Preview"
}
