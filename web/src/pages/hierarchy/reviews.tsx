import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { useAction, useAnswer } from "../../api/answer";
import { useMay, useViewer } from "../../app/context";
import { ColleaguesDocument, type KeptFragment, ScenarioAnswerDocument, type ScenarioVerdict } from "../../gql";
import { ChooseMany } from "../../parts/choose";
import { Problems } from "../../parts/states";
import { Status, type Tone } from "../../parts/status";
import { words } from "../../parts/words";

/** Which colleagues are asked what they think of a scenario. They are asked once it is saved. */
export function Reviewers({ value, onChange }: { value: string[]; onChange: (names: string[]) => void }) {
  const mayList = useMay("read:users");
  const { username } = useViewer();
  const { data } = useAnswer(ColleaguesDocument, {}, !mayList);
  if (!mayList && value.length === 0) return null;
  const names = [...new Set([...value, ...(data?.users.nodes.map((u) => u.username) ?? [])])].filter((name) => name !== username || value.includes(name));
  return <ChooseMany size="xs" label="Ask colleagues for a review" description="They see it in What if, once it is saved." data={names} value={value} onChange={onChange} />;
}

const tones: Record<ScenarioVerdict, Tone> = { ASKED: "plain", COMMENTED: "info", APPROVED: "good", DECLINED: "bad" };
const answers: { verdict: ScenarioVerdict; label: string }[] = [
  { verdict: "COMMENTED", label: "Comment" },
  { verdict: "DECLINED", label: "Decline" },
  { verdict: "APPROVED", label: "Approve" },
];

/** What colleagues say of a scenario; whoever is asked answers here. */
export function Reviews({ of, isKept, onAnswer }: { of: KeptFragment; isKept: boolean; onAnswer: (is: KeptFragment) => void }) {
  const { username } = useViewer();
  const [comment, setComment] = useState("");
  const answer = useAction(ScenarioAnswerDocument, "live");
  const say = async (verdict: ScenarioVerdict) => {
    const is = (await answer.run({ input: { id: of.id, lastModified: of.lastModified, verdict, comment: comment.trim() || null } }))?.scenarioReview.scenario;
    if (is) (setComment(""), onAnswer(is));
  };
  if (of.reviews.length === 0) return null;
  return (
    <section aria-label="Reviews">
      {of.reviews.map((r) => (
        <Text size="sm" component="div" key={r.username}>
          {r.username} <Status tone={r.isOutdated ? "warn" : tones[r.verdict]}>{r.isOutdated ? `${words(r.verdict)}, before it was changed` : words(r.verdict)}</Status>
          {r.comment && <Text size="sm">{r.comment}</Text>}
        </Text>
      ))}
      {of.reviews.some((r) => r.username === username) && (
        <Stack gap="xs" mt="xs">
          <Textarea size="xs" label="Your review" autosize minRows={2} maxLength={1000} value={comment} onChange={(e) => setComment(e.currentTarget.value)} />
          <Problems problems={answer.problems} />
          {!isKept && <Text size="xs">Save what you changed before you answer.</Text>}
          <Group gap="xs" justify="flex-end">
            {answers.map((a) => (
              <Button key={a.verdict} size="compact-xs" variant="default" disabled={!isKept || of.state !== "DRAFT" || (a.verdict === "COMMENTED" && !comment.trim())} loading={answer.busy} onClick={() => void say(a.verdict)}>
                {a.label}
              </Button>
            ))}
          </Group>
        </Stack>
      )}
    </section>
  );
}
