import { Button, Group, List, Stack, Text, TagsInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { useAction } from "../../api/answer";
import { type OnboardingContentQuery, QuestionPublishDocument, type QuestionResponseType, QuestionRetireDocument } from "../../gql";
import { Choose } from "../../parts/choose";
import { Part } from "../../parts/facts";

import { Problems } from "../../parts/states";
import { words } from "../../parts/words";

type Question = OnboardingContentQuery["backgroundQuestions"][number];
const types = ["BOOLEAN", "TEXT", "DATE", "SINGLE_CHOICE"] as const;

/** The background questions: a changed one is a new version, a retired one is asked no more. */
export function Questions({ questions, may }: { questions: Question[]; may: boolean }) {
  const [edited, setEdited] = useState<Question | "new" | null>(null);
  const retire = useAction(QuestionRetireDocument);
  return (
    <Part title="Questions">
      <Stack gap="sm">
        {questions.length === 0 && <Text size="sm">None.</Text>}
        <List size="sm" type="ordered" spacing={4}>
          {questions.map((q) => (
            <List.Item key={q.contentItemVersionId}>
              {q.text}
              {may && (
                <Group gap={6} mt={2}>
                  <Button size="compact-xs" variant="default" onClick={() => setEdited(q)} aria-label={`Change ${q.text}`}>
                    Change
                  </Button>
                  <Button size="compact-xs" variant="default" loading={retire.busy} onClick={() => void retire.run({ known: [q.publishedAt], id: q.contentItemId })} aria-label={`Retire ${q.text}`}>
                    Retire
                  </Button>
                </Group>
              )}
            </List.Item>
          ))}
        </List>
        <Problems problems={retire.problems} />
        {may && !edited && (
          <Group>
            <Button size="xs" variant="default" onClick={() => setEdited("new")}>
              New question
            </Button>
          </Group>
        )}
        {edited && <EditQuestion key={edited === "new" ? "" : edited.contentItemVersionId} question={edited === "new" ? null : edited} next={Math.max(0, ...questions.map((q) => q.sequence)) + 1} onClose={() => setEdited(null)} />}
      </Stack>
    </Part>
  );
}

/** Texts one by one: what is within one, such as a comma, is its own. */
const several = { size: "xs" as const, splitChars: [], acceptValueOnBlur: true };

function EditQuestion({ question: q, next, onClose }: { question: Question | null; next: number; onClose: () => void }) {
  const [text, setText] = useState(q?.text ?? "");
  const [helpText, setHelp] = useState(q?.helpText ?? "");
  const [responseType, setType] = useState<QuestionResponseType>(q?.responseType ?? "BOOLEAN");
  const [choices, setChoices] = useState(q?.choices ?? []);
  const [explained, setExplained] = useState(q?.requiresExplanationWhen ?? []);
  const { run, busy, problems } = useAction(QuestionPublishDocument);
  const save = async () => {
    const input = { contentItemId: q?.contentItemId, sequence: q?.sequence ?? next, text, helpText: helpText || null, responseType, requiresExplanationWhen: explained, ...(responseType === "SINGLE_CHOICE" ? { choices } : {}) };
    if (await run({ known: q ? [q.publishedAt] : [], input })) onClose();
  };
  return (
    <Stack gap="xs" role="group" aria-label={q ? "Change a question" : "New question"}>
      <TextInput size="xs" label="Question" required value={text} onChange={(e) => setText(e.currentTarget.value)} />
      <TextInput size="xs" label="Help" value={helpText} onChange={(e) => setHelp(e.currentTarget.value)} />
      <Choose size="xs" label="Answered with" data={types.map((t) => ({ value: t, label: t === "BOOLEAN" ? "Yes or no" : words(t) }))} value={responseType} onChange={(v) => v && setType(v as QuestionResponseType)} />
      {responseType === "SINGLE_CHOICE" && <TagsInput {...several} label="Choices, Enter after each" value={choices} onChange={setChoices} />}
      <TagsInput {...several} label="Answers that ask for an explanation, Enter after each" value={explained} onChange={setExplained} />
      <Problems problems={problems} />
      <Group justify="flex-end">
        <Button size="xs" variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button size="xs" loading={busy} onClick={() => void save()}>
          Publish the question
        </Button>
      </Group>
    </Stack>
  );
}
