// What is found among choices by a text.
export interface Choice {
  value: string;
  label: string;
}

/** Where in a choice a text is found: before other places at the beginning of its name, then at that of a word or of its code. */
function placeOf({ value, label }: Choice, text: string): number {
  const name = label.toLowerCase();
  if (name.startsWith(text)) return 0;
  if (` ${name}`.includes(` ${text}`) || value.toLowerCase().replace(/^us-/, "").startsWith(text) || value.toLowerCase().startsWith(text)) return 1;
  return name.includes(text) ? 2 : 3;
}

/** The choices that a text finds, those that begin with it first. */
export function found(choices: Choice[], typed: string): Choice[] {
  const text = typed.trim().toLowerCase();
  if (text === "") return choices;
  return choices
    .map((choice, at) => ({ choice, at, place: placeOf(choice, text) }))
    .filter(({ place }) => place < 3)
    .sort((a, b) => a.place - b.place || a.at - b.at)
    .map(({ choice }) => choice);
}
