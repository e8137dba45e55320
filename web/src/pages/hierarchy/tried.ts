import type { Card, Loaded } from "./load";
import type { Depth, Move } from "./state";

/** Whoever is above a card, the nearest first. */
function above(cards: ReadonlyMap<string, Card>, code: string): string[] {
  const found: string[] = [];
  for (let at = cards.get(code)?.parent; at && !found.includes(at); at = cards.get(at)?.parent) found.push(at);
  return found;
}

/**
 * The hierarchy as it would be after the moves of the basket, as far as both ends of a move
 * are in view. Those who would move stand first below their new upline, which is open. A move
 * below oneself is left where it is: the preview says what is wrong with it.
 */
export function tried(loaded: Loaded, moves: Move[]): Loaded {
  const cards = new Map(loaded.cards);
  const open = new Map<string, Depth>(loaded.open);
  const roots = new Set(loaded.roots);
  const moved: string[] = [];
  for (const { agentCode, to } of moves) {
    const card = cards.get(agentCode);
    if (!card || (to !== "" && (!cards.has(to) || to === agentCode || above(cards, to).includes(agentCode)))) continue;
    const recount = (from: string | null, by: 1 | -1) =>
      [...(from ? [from, ...above(cards, from)] : [])].forEach((code, i) => {
        const c = cards.get(code);
        if (c) cards.set(code, { ...c, direct: c.direct + (i === 0 ? by : 0), downline: c.downline + by * (card.downline + 1) });
      });
    recount(card.parent, -1);
    cards.set(agentCode, { ...card, parent: to || null });
    recount(to || null, 1);
    roots.delete(agentCode);
    if (!to) roots.add(agentCode);
    else if (!open.has(to)) open.set(to, "some");
    moved.push(agentCode);
  }
  if (moved.length === 0) return loaded;
  const first = moved.map((code): [string, Card] => [code, cards.get(code)!]);
  return { ...loaded, cards: new Map([...first, ...cards]), open, roots: [...roots] };
}
