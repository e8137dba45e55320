package transport

import (
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Explain refines the errors with which the executor refused a request: it
// tells a wrong operation name and a wrong variable from a wrong document, and
// takes out of the messages the values that the client sent, which may be
// sensitive. Names (fields, arguments, types) stay: without them no message
// would help.
func Explain(op *graphql.OperationContext, errs gqlerror.List) {
	if op.Doc != nil && op.Operation == nil {
		errs[0].Message = unresolved(op)
		errcode.Set(errs[0], operationResolutionFailure)
		return
	}
	for _, e := range errs {
		switch {
		case len(e.Path) > 0 && e.Path[0] == ast.PathName("variable"):
			errcode.Set(e, badUserInput)
			e.Message = withoutLead(e.Message, " is not a valid ", "the value is not a valid ")
		case e.Rule == "ValuesOfCorrectType":
			e.Message = withoutLiteral(e.Message)
		case e.Extensions["code"] == errcode.ParseFailed:
			e.Message = withoutToken(e.Message)
		}
	}
}

func unresolved(op *graphql.OperationContext) string {
	if op.OperationName == "" {
		return "the document has several operations: operationName must name one"
	}
	return "the document has no operation of the name in operationName"
}

// withoutLiteral cuts the literal from a message of the validator:
// `Int cannot represent non-integer value: "x"`, `Expected value of type "I",
// found 12.`, `Value "X" does not exist in "E" enum.`
func withoutLiteral(message string) string {
	for _, marker := range []string{" value: ", ", found "} {
		if before, _, found := strings.Cut(message, marker); found {
			return before + strings.TrimSuffix(strings.TrimRight(marker, ": "), ", found") + "."
		}
	}
	return withoutLead(message, ` does not exist in "`, `The value does not exist in "`)
}

// withoutToken cuts the text of a token that is a value from a message of the
// parser: `Unexpected String "x"`.
func withoutToken(message string) string {
	for _, kind := range []string{"BlockString", "String", "Int", "Float"} {
		if before, _, found := strings.Cut(message, kind+` "`); found {
			return before + kind
		}
	}
	return message
}

// withoutLead replaces everything up to the last marker.
func withoutLead(message, marker, lead string) string {
	if at := strings.LastIndex(message, marker); at >= 0 {
		return lead + message[at+len(marker):]
	}
	return message
}
