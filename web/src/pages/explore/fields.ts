import { type DocumentNode, type FieldNode, type FragmentDefinitionNode, Kind, type OperationDefinitionNode, parse, type SelectionSetNode, TokenKind, visit } from "graphql";
import type { Connection } from "./connections";

// Whatever is changed is changed in the text itself, at the places that the parser names:
// comments, line breaks and all that is not asked about stay as somebody wrote them.

/** What a query asks for: its first connection, and the paths of the fields below, each with whether it comes by a fragment. */
export interface Asked {
  connection: Connection | undefined;
  paths: Map<string, boolean>;
}

// A selection must not be empty: without any field this stands in.
const standIn = "__typename";

const queryOf = (document: DocumentNode) => document.definitions.find((d): d is OperationDefinitionNode => d.kind === Kind.OPERATION_DEFINITION && d.operation === "query");
const named = (set: SelectionSetNode | undefined, name: string) => (set?.selections ?? []).filter((s): s is FieldNode => s.kind === Kind.FIELD && s.name.value === name);
const connectionIn = (query: OperationDefinitionNode, all: Connection[]) => query.selectionSet.selections.find((s): s is FieldNode => s.kind === Kind.FIELD && all.some((c) => c.name === s.name.value));
const spliced = (text: string, from: number, to: number, put: string) => text.slice(0, from) + put + text.slice(to);

/** Reads a query. Throws where it does not parse, or is none. */
export function read(text: string, all: Connection[]): Asked {
  if (text.trim() === "") return { connection: undefined, paths: new Map() };
  const document = parse(text);
  const query = queryOf(document);
  if (!query) throw new Error("There is no query in it.");
  const field = connectionIn(query, all);
  const paths = new Map<string, boolean>();
  if (field?.selectionSet) collect(document, field.selectionSet, paths);
  return { connection: all.find((c) => c.name === field?.name.value), paths };
}

/** Adds the paths of the fields of a selection, and of the fragments in it. */
function collect(document: DocumentNode, set: SelectionSetNode, into: Map<string, boolean>, prefix = "", within: string[] = [], isFragment = false) {
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) {
      const path = prefix + selection.name.value;
      into.set(path, isFragment && (into.get(path) ?? true));
      if (selection.selectionSet) collect(document, selection.selectionSet, into, `${path}.`, within, isFragment);
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      collect(document, selection.selectionSet, into, prefix, within, true);
    } else if (!within.includes(selection.name.value)) {
      const fragment = document.definitions.find((d): d is FragmentDefinitionNode => d.kind === Kind.FRAGMENT_DEFINITION && d.name.value === selection.name.value);
      if (fragment) collect(document, fragment.selectionSet, into, prefix, [...within, selection.name.value], true);
    }
  }
}

/** Adds a field of the first connection, such as nodes.payStatus.name, or takes it out. */
export function tick(text: string, all: Connection[], path: string, on: boolean): string {
  const field = connectionIn(queryOf(parse(text))!, all)!;
  return on ? added(text, field, path.split(".")) : removed(text, all, field, path.split("."));
}

function added(text: string, at: FieldNode, path: string[]): string {
  const [below] = named(at.selectionSet, path[0]!);
  if (below && path.length > 1) return added(text, below, path.slice(1));
  const put = path.reduceRight((inner, name) => (inner ? `${name} { ${inner} }` : name), "");
  if (!at.selectionSet) return spliced(text, at.loc!.end, at.loc!.end, ` { ${put} }`);
  const last = at.selectionSet.selections.at(-1)!;
  const { start, end } = last.loc!;
  const isStandIn = at.selectionSet.selections.length === 1 && last.kind === Kind.FIELD && last.name.value === standIn && !last.alias;
  if (isStandIn) return spliced(text, start, end, put);
  const space = /\n[ \t]*$/.exec(text.slice(0, start))?.[0] ?? " ";
  return spliced(text, end, end, space + put);
}

/** Every way to a field, each as the fields that lead there: one may be asked for more than once, by aliases. */
const ways = (set: SelectionSetNode | undefined, [name, ...rest]: string[]): FieldNode[][] =>
  named(set, name!).flatMap((field) => (rest.length === 0 ? [[field]] : ways(field.selectionSet, rest).map((below) => [field, ...below])));

function removed(text: string, all: Connection[], field: FieldNode, path: string[]): string {
  const [way] = ways(field.selectionSet, path);
  if (!way) return text;
  const isAlone = (i: number) => way[i - 1]!.selectionSet!.selections.length === 1;
  let i = way.length - 1;
  while (i > 1 && isAlone(i)) i--;
  const { start, end } = way[i]!.loc!;
  const rest = isAlone(i) ? spliced(text, start, end, standIn) : cut(text, way[i]!);
  return tick(rest, all, path.join("."), false);
}

/** Takes out a node, with the space before it; with that after it, where it is the first. */
function cut(text: string, { loc }: Pick<FieldNode, "loc">): string {
  const { startToken, endToken, start, end } = loc!;
  const { kind, end: before } = startToken.prev!;
  if (kind === TokenKind.PAREN_L || kind === TokenKind.BRACE_L) return spliced(text, start, endToken.next!.start, "");
  return spliced(text, kind === TokenKind.COMMENT ? start : before, end, "");
}

/** Asks for another connection in the place of the first, with the arguments that both have. */
export function choose(text: string, all: Connection[], next: Connection): string {
  const put = (args: string, indent: string) => [`${next.name}${args} {`, ...next.start.map((line) => `  ${line}`), "}"].join(`\n${indent}`);
  if (text.trim() === "") return `{\n  ${put("", "  ")}\n}`;
  const { selectionSet } = queryOf(parse(text))!;
  const old = connectionIn(queryOf(parse(text))!, all);
  const { start, end } = old?.loc ?? { start: selectionSet.selections[0]!.loc!.start, end: selectionSet.selections[0]!.loc!.start };
  const indent = /(?:^|\n)([ \t]*)$/.exec(text.slice(0, start))?.[1] ?? "";
  return withoutUnused(spliced(text, start, end, put(argumentsFor(text, all, old, next), indent) + (old ? "" : `\n${indent}`)));
}

/** The arguments of a connection that another takes, too. A cursor leads through one list only. */
function argumentsFor(text: string, all: Connection[], old: FieldNode | undefined, next: Connection): string {
  const types = all.find((c) => c.name === old?.name.value)?.arguments ?? {};
  const kept = (old?.arguments ?? []).filter(({ name, value }) => {
    const isCursor = name.value === "after" || name.value === "before";
    return next.arguments[name.value] === types[name.value] && (!isCursor || value.kind === Kind.VARIABLE);
  });
  return kept.length > 0 ? `(${kept.map(({ loc }) => text.slice(loc!.start, loc!.end)).join(", ")})` : "";
}

/** Takes out the variables that nothing uses, which a server refuses. */
function withoutUnused(text: string): string {
  const document = parse(text);
  const used = new Set<string>();
  visit(document, { VariableDefinition: () => false, Variable: ({ name }) => void used.add(name.value) });
  const variables = queryOf(document)!.variableDefinitions ?? [];
  const unused = variables.find((v) => !used.has(v.variable.name.value));
  if (!unused) return text;
  if (variables.length > 1) return withoutUnused(cut(text, unused));
  return spliced(text, unused.loc!.startToken.prev!.start, unused.loc!.endToken.next!.end, "");
}
