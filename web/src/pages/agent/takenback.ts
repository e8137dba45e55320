/** A payment, as far as it says which one it takes back: the latest stand first. */
export interface Paid {
  paidOn: string;
  amount: string;
  reference: string | null;
}

/** For each payment that was taken back, which one did so: one of the same reference and the negative amount, on its day or later; each takes one back. */
export function takenBack<P extends Paid>(payments: P[]): Map<P, P> {
  const pairs = new Map<P, P>();
  const earliestFirst = [...payments].reverse();
  for (const back of earliestFirst.filter((p) => Number(p.amount) < 0)) {
    const of = earliestFirst.find((p) => Number(p.amount) === -Number(back.amount) && p.reference === back.reference && p.paidOn <= back.paidOn && !pairs.has(p));
    if (of) pairs.set(of, back);
  }
  return pairs;
}
