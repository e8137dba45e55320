import { Button, Popover, Text, UnstyledButton } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAnswer } from "../api/answer";
import { useDay } from "../app/context";
import { ExplainDocument } from "../gql";
import { count } from "./format";
import { Sentence } from "./sentence";
import { Failure, Loading } from "./states";

interface WhyProps {
  /** Global id of the object. */
  of: string;
  /** Path of the field. */
  field: string;
  name: string;
}

/** The name of a field, which opens what set its value: who, when, why, and what it was before. */
export function Why({ of, field, name }: WhyProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" withArrow trapFocus returnFocus width={360}>
      <Popover.Target>
        <UnstyledButton className="why" onClick={() => setIsOpen(!isOpen)} aria-label={`Where it comes from: ${name}`} aria-expanded={isOpen}>
          {name}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>{isOpen && <Because of={of} field={field} />}</Popover.Dropdown>
    </Popover>
  );
}

function Because({ of, field }: Omit<WhyProps, "name">) {
  const { onDate, asKnownAt } = useDay();
  const navigate = useNavigate();
  const { data, error, loading } = useAnswer(ExplainDocument, { of, field, onDate, asKnownAt });
  const all = () => void navigate({ to: ".", search: ((old: object) => ({ ...old, what: "changes", field })) as never }).then(() => document.querySelector('[aria-label="What happened"]')?.scrollIntoView());
  if (error) return <Failure error={error} />;
  if (loading) return <Loading what="where it comes from" />;
  return (
    <>
      {data?.explain ? <Sentence changes={[data.explain]} isOfOne /> : <Text size="sm">No change of it is kept: it has been so from the beginning, or since before changes were kept.</Text>}
      {data?.explain && data.explain.importRows.length > 0 && <div className="faint">Of the file: {count(data.explain.importRows.length, "row")}, {data.explain.importRows.join(", ")}.</div>}
      <Button size="compact-xs" variant="default" mt="xs" onClick={all}>
        All its changes
      </Button>
    </>
  );
}
