import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags as t } from "@lezer/highlight";

/** A colour of the theme, whose shades are readable on the ground of either scheme. */
const color = (name: string) => `light-dark(var(--mantine-color-${name}-9), var(--mantine-color-${name}-2))`;
const border = "1px solid light-dark(var(--mantine-color-gray-4), var(--mantine-color-dark-4))";
const ground = "light-dark(var(--mantine-color-white), var(--mantine-color-dark-6))";
const chosen = { background: "var(--mantine-primary-color-filled)", color: "var(--mantine-color-white)" };

/** The size and the colours of a Textarea with rows of 12 pixels, 12 to 26 of them. */
const sizes = EditorView.theme({
  "&": { fontSize: "12px", color: "var(--mantine-color-text)", background: ground, border, borderRadius: "var(--mantine-radius-default)" },
  "&.cm-focused": { outline: "none", borderColor: "var(--mantine-primary-color-filled)" },
  ".cm-scroller": { fontFamily: "monospace", lineHeight: "1.55", minHeight: "calc(12 * 1.55em + 16px)", maxHeight: "calc(26 * 1.55em + 16px)" },
  ".cm-content": { padding: "5px 0", caretColor: "var(--mantine-color-text)" },
  ".cm-line": { padding: "0 12px" },
  "&.cm-focused .cm-matchingBracket": { background: "none", outline: border },
  "&.cm-focused .cm-nonmatchingBracket": { background: "none", color: "var(--mantine-color-error)" },
});

/** What the editor shows above, and below, the text. */
const besides = EditorView.theme({
  ".cm-lintRange-active": { background: "var(--mantine-color-default-hover)", outline: border },
  ".cm-tooltip, .cm-panels": { color: "var(--mantine-color-text)", background: "var(--mantine-color-body)", border },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": chosen,
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-completionDetail": { opacity: "0.85" },
  ".cm-tooltip.cm-completionInfo": { maxWidth: "320px" },
  ".cm-panel.cm-panel-lint ul [aria-selected], .cm-panel.cm-panel-lint ul:focus [aria-selected]": chosen,
  ".cm-panel.cm-panel-lint button[name=close]": { width: "24px", height: "24px", color: "var(--mantine-color-text)", background: "var(--mantine-color-body)" },
});

const highlights = HighlightStyle.define([
  { tag: [t.keyword, t.definitionKeyword, t.modifier], color: color("indigo"), fontWeight: "600" },
  { tag: t.atom, color: "var(--mantine-color-text)" },
  { tag: t.attributeName, color: color("indigo") },
  { tag: t.variableName, color: color("grape") },
  { tag: [t.string, t.integer, t.float, t.bool, t.null, t.special(t.name)], color: color("teal") },
  { tag: t.lineComment, color: "var(--mantine-color-dimmed)" },
]);

export const look = [sizes, besides, syntaxHighlighting(highlights)];
