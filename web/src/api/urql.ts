// What this client takes of urql, in one place.
import type { Operation } from "urql";
import { pipe, tap as wonkaTap, type Source } from "wonka";

export type { Exchange } from "urql";

/** Looks at each operation on its way. */
export const tap = (source: Source<Operation>, look: (operation: Operation) => void): Source<Operation> => pipe(source, wonkaTap(look));
