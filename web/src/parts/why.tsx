import { Button, Popover, Text, UnstyledButton } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type CombinedError, useClient } from "urql";
import { useDay } from "../app/context";
import { ExplainDocument, type ExplainQuery, type ExplainQueryVariables } from "../gql";
import { inputs } from "../inputs";
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

/** What a field of an agent consists of: an address is street, city and so on. */
const partsOf = (field: string) => {
  const of = inputs.AgentRegisterInput!.find((f) => f.name === field)?.of;
  return of && /^(Address|Phone|DirectDeposit)Input$/.test(of) ? inputs[of]!.map((f) => `${field}.${f.name}`) : [field];
};

/** The change that set a field; of one that consists of several, the last of theirs. */
function useBecause(asked: ExplainQueryVariables) {
  const client = useClient();
  const key = JSON.stringify(asked);
  const [found, setFound] = useState<{ key: string; because?: NonNullable<ExplainQuery["explain"]>; error?: CombinedError }>();
  useEffect(() => {
    let isGone = false;
    void Promise.all(partsOf(asked.field).map((field) => client.query(ExplainDocument, { ...asked, field }).toPromise())).then((answers) => {
      const because = answers.flatMap((a) => a.data?.explain ?? []).sort((a, b) => b.sequence - a.sequence)[0];
      const error = answers.find((a) => a.error)?.error;
      if (!isGone) setFound({ key, ...(because && { because }), ...(error && { error }) });
    });
    return () => void (isGone = true);
  }, [client, key]);
  return found?.key === key ? { ...found, loading: false } : { loading: true, because: undefined, error: undefined };
}

function Because({ of, field }: Omit<WhyProps, "name">) {
  const { onDate, asKnownAt } = useDay();
  const navigate = useNavigate();
  const { because, error, loading } = useBecause({ of, field, onDate, asKnownAt });
  const all = () => void navigate({ to: ".", search: ((old: object) => ({ ...old, what: "changes", field })) as never }).then(() => document.querySelector('[aria-label="What happened"]')?.scrollIntoView());
  if (error) return <Failure error={error} />;
  if (loading) return <Loading what="where it comes from" />;
  return (
    <>
      {because ? <Sentence changes={[because]} isOfOne /> : <Text size="sm">No change of it is kept: it has been so from the beginning, or since before changes were kept.</Text>}
      {because && because.importRows.length > 0 && <div className="faint">Of the file: {count(because.importRows.length, "row")}, {because.importRows.join(", ")}.</div>}
      <Button size="compact-xs" variant="default" mt="xs" onClick={all}>
        All its changes
      </Button>
    </>
  );
}
