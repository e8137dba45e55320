import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, isolateHistory } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { lintKeymap } from "@codemirror/lint";
import { EditorView, keymap } from "@codemirror/view";
import { graphql, updateSchema } from "cm6-graphql";
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { useSchema } from "../../api/schema";
import { look } from "./look";
import { caretOfPlain, type QueryProps } from "./query";

// Tab has no meaning here: it leads to what comes next, as everywhere else on the page.
const extensions = [
  graphql(),
  autocompletion({ icons: false }),
  closeBrackets(),
  bracketMatching(),
  history(),
  keymap.of([...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ "aria-label": "Query" }),
  look,
];

/** Puts a cursor where it was in the plain field. */
function takeOver(view: EditorView, caret: number | null) {
  if (caret === null) return;
  view.dispatch({ selection: { anchor: Math.min(caret, view.state.doc.length) } });
  view.focus();
}

/** An editor that knows the schema: it colours the query, completes what is typed and underlines what is wrong. */
export default function QueryEditor({ value, onChange }: QueryProps) {
  const schema = useSchema();
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const [caret] = useState(caretOfPlain);
  const changed = useEffectEvent(onChange);
  const open = useEffectEvent(() => {
    const telling = EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString()));
    const view = new EditorView({ doc: value, extensions: [extensions, telling], parent: place.current! });
    takeOver(view, caret);
    return view;
  });
  useLayoutEffect(() => {
    const view = open();
    editor.current = view;
    return () => view.destroy();
  }, []);
  // What the picker changes is taken back by itself. An effect that runs later could undo the next key.
  useLayoutEffect(() => {
    const { doc } = editor.current!.state;
    if (doc.toString() !== value) editor.current!.dispatch({ changes: { from: 0, to: doc.length, insert: value }, annotations: isolateHistory.of("full") });
  }, [value]);
  useEffect(() => {
    if (schema) updateSchema(editor.current!, schema);
  }, [schema]);
  return <div ref={place} />;
}
