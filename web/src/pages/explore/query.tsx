import { Input, Textarea } from "@mantine/core";
import { lazy, Suspense } from "react";

const Editor = lazy(() => import("./editor"));

export interface QueryProps {
  value: string;
  onChange: (query: string) => void;
}

const plain = "plain-query";

/** Where the cursor is in the plain field; null when it is elsewhere. */
export function caretOfPlain(): number | null {
  const active = document.activeElement;
  return active instanceof HTMLTextAreaElement && active.id === plain ? active.selectionEnd : null;
}

/** The field for the query: a plain one until the editor is there, which goes on with what was typed. */
export function QueryField(props: QueryProps) {
  return (
    <Input.Wrapper label="Query" labelElement="div">
      <Suspense fallback={<PlainField {...props} />}>
        <Editor {...props} />
      </Suspense>
    </Input.Wrapper>
  );
}

const PlainField = ({ value, onChange }: QueryProps) => (
  <Textarea id={plain} aria-label="Query" autosize minRows={12} maxRows={26} value={value} onChange={(e) => onChange(e.currentTarget.value)} styles={{ input: { fontFamily: "monospace", fontSize: 12 } }} spellCheck={false} />
);
