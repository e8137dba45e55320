import { getNamedType, getNullableType, type GraphQLField, type GraphQLInterfaceType, type GraphQLObjectType, type GraphQLSchema, isInterfaceType, isLeafType, isListType, isObjectType, isRequiredArgument } from "graphql";
import { labelOf, plain } from "../../parts/words";


type Fielded = GraphQLObjectType | GraphQLInterfaceType;

/** A list that a query can ask for, such as agents. */
export interface Connection {
  name: string;
  label: string;
  says: string;
  /** What each row is. */
  node: Fielded;
  /** The types of its arguments, by their names. */
  arguments: Record<string, string>;
  /** What is asked of it first, line by line. */
  start: string[];
}

/** A field that can be ticked, or folds open. */
export interface Field {
  name: string;
  label: string;
  says: string;
  /** What stands below, unless it is a value. */
  of: Fielded | null;
}

/** The first sentence of a description. */
const sentence = (description: string | null | undefined) => plain(/^.*?[.;](?=\s|$)/s.exec(description ?? "")?.[0].replace(/;$/, ".") ?? description ?? "");

const isFielded = (type: unknown): type is Fielded => isObjectType(type) || isInterfaceType(type);

/** The type of the rows of a field, if it is a connection. */
function nodeOf(field: GraphQLField<unknown, unknown>): Fielded | null {
  const type = getNamedType(field.type);
  const nodes = isObjectType(type) ? type.getFields().nodes : undefined;
  const node = nodes && isListType(getNullableType(nodes.type)) ? getNamedType(nodes.type) : null;
  return isFielded(node) ? node : null;
}

/** What can be ticked of a type: whatever needs no argument, and is no list in pages. */
export const fieldsOf = (type: Fielded): Field[] =>
  Object.values(type.getFields())
    .filter((f) => !f.deprecationReason && !f.args.some(isRequiredArgument) && !nodeOf(f) && (isLeafType(getNamedType(f.type)) || isFielded(getNamedType(f.type))))
    .map((f) => {
      const below = getNamedType(f.type);
      return { name: f.name, label: labelOf(f.name), says: sentence(f.description), of: isFielded(below) ? below : null };
    });

/** What tells rows apart: the first text of them. */
function firstOf(node: Fielded): string {
  const fields = Object.values(node.getFields()).filter((f) => isLeafType(getNullableType(f.type)) && !f.args.some(isRequiredArgument));
  return (fields.find((f) => getNamedType(f.type).name === "String") ?? fields[0])?.name ?? "__typename";
}

function connectionOf(field: GraphQLField<unknown, unknown>, node: Fielded): Connection {
  const besides = Object.keys((getNamedType(field.type) as GraphQLObjectType).getFields());
  const start = [...(besides.includes("totalCount") ? ["totalCount"] : []), `nodes { ${firstOf(node)} }`, ...(besides.includes("pageInfo") ? ["pageInfo { hasNextPage endCursor }"] : [])];
  return { name: field.name, label: labelOf(field.name), says: sentence(field.description), node, arguments: Object.fromEntries(field.args.map((a) => [a.name, String(a.type)])), start };
}

/** The lists that a schema offers, by their labels. */
export const connectionsOf = (schema: GraphQLSchema): Connection[] =>
  Object.values(schema.getQueryType()?.getFields() ?? {})
    .filter((f) => !f.deprecationReason && !f.args.some(isRequiredArgument))
    .flatMap((f) => {
      const node = nodeOf(f);
      return node ? [connectionOf(f, node)] : [];
    })
    .sort((a, b) => a.label.localeCompare(b.label));
