import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { Alert, Button, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { Kind, type OperationDefinitionNode, type TypeNode } from "graphql";
import { useEffect, useRef, useState } from "react";
import type { AnyVariables } from "urql";
import { useAction } from "../../api/answer";
import { useViewer } from "../../app/context";
import type { RefusalFragment } from "../../gql";
import { Dialog } from "../dialog";
import { More } from "../more";
import { Problems } from "../states";
import { plain } from "../words";
import { Fields, hasField } from "./fields";
import { changeOf, faultsOf, type Fixed, inputOf, join, masksOf, type Values, valuesOf } from "./shape";

interface Changed {
  change: { secret?: string | null; userErrors: RefusalFragment[]; applied: boolean };
}

export interface FormProps<D extends Changed> {
  /** What it sends: its fields are those of the variable input. */
  document: TypedDocumentNode<D, never>;
  title: string;
  /** What the button says that sends it. */
  yes?: string;
  /** The record that is changed, with the names of the input; without, one is made. */
  record?: object | null;
  /** What is known of the input, and not asked for: the key of a record. */
  fixed?: Fixed;
  /** What a new record begins with. */
  suggested?: Record<string, unknown>;
  /** When the record was last changed: the change is made of that version. */
  known?: string;
  /** What has to be typed before it is done, where it cannot be taken back. */
  confirm?: string;
  children?: React.ReactNode;
  onDone?: (data: D) => void;
  onClose: () => void;
}

/** The name of the input type that a mutation takes. */
export function inputTypeOf(document: TypedDocumentNode<unknown, never>): string {
  const operation = document.definitions[0] as OperationDefinitionNode;
  let type: TypeNode = operation.variableDefinitions!.find((v) => v.variable.name.value === "input")!.type;
  while (type.kind !== Kind.NAMED_TYPE) type = type.type;
  return type.name.value;
}

/** Which field an error is about, as the form has it. */
const pathOf = (field: string[] | null) => (field?.[0] === "input" ? field.slice(1) : (field ?? [])).join(".");

/** A dialog that makes, changes or deletes a record, with what is wrong beside the field. */
export function Form<D extends Changed>({ document, title, yes = "Save", record, fixed = {}, suggested, known, confirm, children, onDone, onClose }: FormProps<D>) {
  const { username } = useViewer();
  const type = inputTypeOf(document);
  const isNew = !record;
  const [before] = useState<Values | null>(() => (record ? valuesOf(type, record as Record<string, unknown>, false, fixed) : null));
  const [masks] = useState(() => masksOf(type, record as Record<string, unknown> | null));
  const [values, setValues] = useState<Values>(() => before ?? valuesOf(type, suggested, true, fixed));
  const [missing, setMissing] = useState<Record<string, string>>({});
  const [typed, setTyped] = useState("");
  const [secret, setSecret] = useState("");
  const { run, busy, problems, clear } = useAction(document as unknown as TypedDocumentNode<D, AnyVariables>);
  const at = (p: (typeof problems)[number]) => pathOf(p.field);
  const faults = { ...Object.fromEntries(problems.filter((p) => at(p) in values).map((p) => [at(p), plain(p.message)])), ...missing };
  const others = problems.filter((p) => !(at(p) in values));
  const set = (changed: Values) => {
    setValues((old) => ({ ...old, ...changed }));
    setMissing({});
    clear();
  };
  const remove = (path: string, index: number) => {
    set({}); // what was wrong is about other fields from now on
    setValues((old) =>
      Object.fromEntries(
        Object.entries(old).flatMap(([key, value]) => {
          if (!key.startsWith(`${path}.`)) return [[key, value]];
          const [n, ...rest] = key.slice(path.length + 1).split(".");
          if (Number(n) === index) return [];
          return [[[join(path, Number(n) > index ? Number(n) - 1 : n!), ...rest].join("."), value]];
        }),
      ),
    );
  };
  const given = before ? changeOf(type, values, before, fixed) : inputOf(type, values, fixed);
  const input = () => ({ ...given, ...fixed, ...(hasField(type, "initiator") && { initiator: username }) });
  const send = async () => {
    const found = faultsOf(type, values, before, fixed);
    setMissing(found);
    if (Object.keys(found).length > 0) return;
    const data = await run({ ...(known && { known: [known] }), input: input() } as AnyVariables);
    if (!data) return;
    onDone?.(data);
    if (data.change.secret) setSecret(data.change.secret);
    else onClose();
  };
  // Whoever has sent what is wrong goes on at the first field that is.
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), [missing, problems]);
  const isDeletion = confirm !== undefined;
  const isUnchanged = !isNew && !isDeletion && given === undefined;
  return (
    <Dialog onClose={onClose} title={title} size={isDeletion ? "md" : "lg"}>
      {secret ? (
        <Secret secret={secret} onClose={onClose} />
      ) : (
        <form ref={form} noValidate onSubmit={(e) => (e.preventDefault(), void send())}>
          <Stack gap="sm">
            {children && <Text size="sm" component="div">{children}</Text>}
            <Fields type={type} fixed={fixed} form={{ values, set, remove, faults, masks }} />
            {isDeletion && <TextInput size="xs" label={`Type ${confirm} to delete it`} value={typed} onChange={(e) => setTyped(e.currentTarget.value)} autoComplete="off" />}
            <Problems problems={others} />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" color={isDeletion ? "red" : undefined} loading={busy} disabled={isUnchanged || (isDeletion && typed.trim() !== confirm)}>
                {yes}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Dialog>
  );
}

function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Stack>
      <Alert variant="outline" title="The secret, shown this once" role="status">
        <Code style={{ overflowWrap: "anywhere" }}>{secret}</Code>
      </Alert>
      <Group justify="flex-end">
        <Button onClick={onClose}>I have it</Button>
      </Group>
    </Stack>
  );
}

interface FormButtonProps<D extends Changed> extends Omit<FormProps<D>, "onClose"> {
  label: string;
  /** What a reader hears where several buttons have the same label. */
  name?: string;
  /** Stands at the head of a page, rather than in a row. */
  isMain?: boolean;
  isQuiet?: boolean;
}

/** A button that opens a form. */
export function FormButton<D extends Changed>({ label, name, isMain, isQuiet, ...form }: FormButtonProps<D>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size={isMain ? "xs" : "compact-xs"} variant={isMain && !isQuiet ? "filled" : "default"} aria-label={name} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && <Form key={form.known} {...(form as unknown as FormProps<D>)} onClose={() => setOpen(false)} />}
    </>
  );
}

/** What deletes a record stands in a menu beside what changes it. */
export function DeleteMenu<D extends Changed>({ of, isMain, ...form }: Omit<FormProps<D>, "onClose" | "title" | "yes"> & { of: string; isMain?: boolean }) {
  const dialog = (onClose: () => void) => <Form {...(form as unknown as FormProps<D>)} title={`Delete ${of}`} yes="Delete" onClose={onClose} />;
  return <More label={`More of ${of}`} isSmall={!isMain} items={[{ label: `Delete ${of}`, isDanger: true, dialog }]} />;
}
