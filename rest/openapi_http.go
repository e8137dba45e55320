package rest

import (
	"maps"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/uplinehq/upline/rest/input"
	"github.com/uplinehq/upline/rest/paths"
	"github.com/uplinehq/upline/rest/record"
)

// This file describes what the engine adds to the paths: ETags and conditions, the
// Idempotency-Key, previews and CSV.

func etagHeader() *openapi3.HeaderRef {
	return header("The version of the record, for If-Match and If-None-Match.", "string")
}

func describeHeaderParameters(e *endpoint, add func(in, name, description string, schema *openapi3.SchemaRef)) {
	if e.revalidates() {
		add("header", "If-None-Match", "ETags the client has, or *: 304 when one is that of the record.", typed("string"))
	}
	if e.conditional() {
		add("header", "If-Match", "ETags, or *. The change is made only when the record has the version of one of them, else 412.", typed("string"))
	}
	if e.request.reasoned {
		add("header", input.ChangeReason, "Why; kept with the change in the audit trail. Up to 500 characters.", typed("string"))
	}
	if e.keyed() {
		key := typed("string")
		key.Value.MinLength, key.Value.MaxLength, key.Value.Pattern = 1, openapi3.Ptr(uint64(maxIdempotencyKey)), "^[!-~]+$"
		add("header", input.IdempotencyKey, "A new text for each new request. A repeated one with the same key gets the first one's answer for 24 hours, and changes nothing.", key)
	}
}

// describeHeaders describes the headers of a success.
func describeHeaders(e *endpoint, status int) openapi3.Headers {
	headers := rateHeaders()
	if status == 201 && e.route.Shape.Key != "" {
		headers["Location"] = header("The path of the new resource.", "string")
	}
	for name, description := range e.route.Shape.Headers {
		headers[name] = header(description, "string")
	}
	switch e.route.Outcome {
	case paths.Found, paths.Changed, paths.Created, paths.Upserted:
		if hasVersion(e.rows) {
			headers["ETag"] = etagHeader()
		}
	case paths.Listed, paths.Tabled:
		maps.Copy(headers, openapi3.Headers{
			"Link":        header("The URLs of other pages: rel=next and rel=prev, if there are any, with a cursor where the list has cursors, rel=first and rel=last. The parameter link of one stands for a long query.", "string"),
			"Page-Index":  countHeader("The page, from 1. With CSV only.", 1),
			"Page-Size":   countHeader("Rows in a page. With CSV only.", 1),
			"Total-Count": countHeader("Matching items across all pages. With CSV only.", 0),
		})
	}
	if e.rows != nil {
		headers[unreadableHeader] = header("The properties whose stored values cannot be shown, such as items.0.status; they are null, in CSV empty. Absent when there are none.", "string")
	}
	if e.keyed() {
		headers[replayedHeader] = header("true when the answer is that of an earlier request with the same Idempotency-Key.", "string")
	}
	return headers
}

// content describes the body of a success. A preview has status 200 too; its property
// applied, which no record has, tells them apart.
func (d *describer) content(e *endpoint, status int, schema *openapi3.SchemaRef, shown recordedOperation) openapi3.Content {
	body := &openapi3.MediaType{Schema: schema}
	preview := e.preview != nil && status == 200
	if preview {
		body.Schema = &openapi3.SchemaRef{Value: &openapi3.Schema{OneOf: openapi3.SchemaRefs{schema, ref(previewName(e))}}}
	}
	switch whole, change := shown.response(status), shown.preview(); {
	case preview && whole != nil && change != nil:
		body.Examples = openapi3.Examples{"record": example("The record.", whole), "preview": example("With dryRun=true: what would change.", change)}
	case preview && whole == nil:
		body.Example = change
	default:
		body.Example = whole
	}
	return openapi3.Content{jsonMediaType: body}
}

func example(summary string, value any) *openapi3.ExampleRef {
	return &openapi3.ExampleRef{Value: &openapi3.Example{Summary: summary, Value: value}}
}

// moreContent is the extension with the media types that are served only if Accept asks
// for them. If CSV stood in content, beside JSON, generators would type every list as an
// object or a text.
const moreContent = "x-content"

func csvContent(shown recordedOperation) openapi3.Content {
	table := describeAs(typed("string"), "A header row, then the rows of the page; sensitive values are masked.")
	return openapi3.Content{csvMediaType: {Schema: table, Example: shown.csv()}}
}

// preview defines the component of a dry run's answer.
func (d *describer) preview(e *endpoint) error {
	if e.preview == nil {
		return nil
	}
	changes, err := d.output(e.preview, false)
	if err != nil {
		return err
	}
	applied := typed("boolean")
	applied.Value.Const, applied.Value.Description = false, "Always false: nothing was changed."
	preview := typed("object")
	preview.Value.Description = "What a request would change. Nothing was."
	preview.Value.Required = []string{"applied", e.previewed}
	preview.Value.Properties = openapi3.Schemas{"applied": applied, e.previewed: describeAs(changes, "What would change.")}
	return d.define(previewName(e), preview)
}

// previewName returns the component's name: Previews if the answer has the changes of
// several histories.
func previewName(e *endpoint) string {
	if e.preview.Kind == record.List {
		return "Previews"
	}
	return "Preview"
}
