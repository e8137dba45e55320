import type { Mapping } from "./mapping";

const place = (tenant: string, entity: string) => `upline:${tenant}:mapping:${entity}`;

/** The mappings that this browser keeps for a kind of rows, by their names. */
export const keptOf = (tenant: string, entity: string) => JSON.parse(localStorage.getItem(place(tenant, entity)) ?? "{}") as Record<string, Mapping>;

/** Keeps a mapping under a name, in the place of one of that name. */
export const keep = (tenant: string, entity: string, name: string, mapping: Mapping) => localStorage.setItem(place(tenant, entity), JSON.stringify({ ...keptOf(tenant, entity), [name]: mapping }));

/** The name of a mapping for just these headers. */
export const fitting = (kept: Record<string, Mapping>, header: string[]) => Object.keys(kept).find((name) => header.every((h) => kept[name]![h]) && Object.keys(kept[name]!).length === header.length);
