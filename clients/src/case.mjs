// What every cache is put through: an agent on two dates, refetched, paged and changed.
// A client gives its own way to do each step; what must come of it stands here.

export const then = "2026-01-15";

export function check(holds, what, seen) {
  if (!holds) throw new Error(`${what}: ${JSON.stringify(seen)}`);
}

const status = (a) => a.payStatus?.name;

/**
 * @param steps read(on) and kept(on), from the server and from the cache alone; refetch(agent);
 *   more(agent): the next page of its certifications; certifications(on): those kept;
 *   change(agent, commonName): returns what the cache says before the answer is there.
 */
export async function walk(steps) {
  const past = await steps.read(then);
  const now = await steps.read(null);
  check(status(past) === "Active" && past.asOf === then, "the past as read", past);
  check(status(now) === "Suspended" && now.asOf === "2026-06-15", "the present as read", now);
  check(past.id !== now.id, "one id for two dates", [past, now]);
  const apart = (what) => {
    const [p, n] = [steps.kept(then), steps.kept(null)];
    check(p && status(p) === "Active" && p.asOf === then, `the past ${what}`, p);
    check(n && status(n) === "Suspended" && n.asOf === "2026-06-15", `the present ${what}`, n);
  };
  apart("beside the present");

  const again = await steps.refetch(past);
  check(again.id === past.id && again.asOf === then && status(again) === "Active", "the past by its id", again);
  apart("after a refetch");

  await steps.more(past);
  const [paged, unpaged] = [steps.certifications(then), steps.certifications(null)];
  check(paged.length === 4 && paged.every((c) => c.status === "ACTIVE" && c.asOf === then), "two pages of the past", paged);
  check(unpaged.length === 2 && unpaged.every((c) => c.status === "EXPIRED"), "one page of the present", unpaged);
  apart("after the next page");

  const early = await steps.change(now, "Coco");
  check(early === "Coco", "the optimistic update", early);
  check(steps.kept(null).commonName === "Coco", "the change", steps.kept(null));
  apart("after a change");
  return `${past.id} beside ${now.id}`;
}
