import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { Button, CloseButton, Group, Text } from "@mantine/core";
import { Kind } from "graphql";
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from "react";
import { useClient } from "urql";
import { useMay } from "../app/context";
import { didOf, keyOf } from "./words";

const Undo = lazy(() => import("./undo").then((m) => ({ default: m.Undo })));

interface Toast {
  /** The requests that it speaks of, as the audit trail names them. */
  traceId: string;
  text: string;
}

/** Milliseconds that a toast stays: time enough to read it and to take its change back. */
const stays = 12_000;

let toasts: Toast[] = [];
const listeners = new Set<() => void>();
const publish = (next: Toast[]) => {
  toasts = next;
  listeners.forEach((listener) => listener());
};
const close = (traceId: string) => publish(toasts.filter((t) => t.traceId !== traceId));

/** The root field of a document with one. */
function operationOf(document: TypedDocumentNode<unknown, never>): string {
  const operation = document.definitions.find((d) => d.kind === Kind.OPERATION_DEFINITION);
  const field = operation?.selectionSet.selections[0];
  return field?.kind === Kind.FIELD ? field.name.value : "";
}

/** Says in words what a write did. The last two stay in sight. */
export function tell(mutation: TypedDocumentNode<never, never> | object, variables: unknown, traceId: string) {
  const operation = operationOf(mutation as TypedDocumentNode<unknown, never>);
  const given = (variables ?? {}) as Record<string, unknown>;
  const key = keyOf((given.input as Record<string, unknown> | undefined) ?? given);
  const did = didOf(operation);
  const text = `You ${did}${key === undefined ? "" : `: ${String(key)}`}.`;
  say({ traceId, text });
}

/** Shows a message. A store is drawn at once: whoever sent the change goes on first, so that what it shows then is read, and nothing before. */
export const say = (toast: Toast) => setTimeout(() => publish([...toasts.slice(-1), toast]));

/** The messages in sight. */
export const useToasts = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );

/** What was just written, with a way back: at the foot of the page, which makes room for it, so that nothing lies below. */
export function Toasts() {
  const all = useToasts();
  const [undone, setUndone] = useState<string | null>(null);
  return (
    <>
      <div className="toasts" role="status" aria-label="What was done">
        {all.map((t) => (
          <One key={t.traceId} toast={t} onUndo={() => (close(t.traceId), setUndone(t.traceId))} />
        ))}
      </div>
      {undone && (
        <Suspense>
          <Undo of={{ traceId: undone }} onClose={() => setUndone(null)} />
        </Suspense>
      )}
    </>
  );
}

function One({ toast, onUndo }: { toast: Toast; onUndo: () => void }) {
  const may = useMay("read:agents");
  const client = useClient();
  const [isUndoable, setUndoable] = useState(false);
  useEffect(() => {
    let isGone = false;
    if (may) void import("./undo").then((m) => m.isUndoable(client, toast.traceId)).then((is) => !isGone && setUndoable(is));
    return () => void (isGone = true);
    // A client that is new reads everything anew; this is asked once.
  }, [toast.traceId, may]);
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => close(toast.traceId), stays);
    return () => clearTimeout(timer);
  }, [toast, isHeld]);
  const hold = { onMouseEnter: () => setHeld(true), onMouseLeave: () => setHeld(false), onFocus: () => setHeld(true), onBlur: () => setHeld(false) };
  return (
    <div {...hold}>
      <Text size="sm">{toast.text}</Text>
      <Group gap="sm" wrap="nowrap">
        {isUndoable && (
          <Button size="compact-xs" variant="light" onClick={onUndo}>
            Undo
          </Button>
        )}
        <CloseButton size="sm" aria-label="Close the message" onClick={() => close(toast.traceId)} />
      </Group>
    </div>
  );
}
