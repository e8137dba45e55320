import { Button, Group, SimpleGrid, Stack, Table, Text, Textarea } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { type UserProblem, useAction, useAnswer } from "../../api/answer";
import { useMay, useMayForAll, useViewer } from "../../app/context";
import {
  ApplicationBackgroundDocument,
  ApplicationDocument,
  ApplicationHoldDocument,
  ApplicationMarkPaidDocument,
  ApplicationProcessDocument,
  type ApplicationQuery,
  ApplicationRejectDocument,
  ApplicationResumeDocument,
  ApplicationSubmitDocument,
  ApplicationUpdateDocument,
} from "../../gql";
import { Confirm } from "../../parts/confirm";
import { Dialog } from "../../parts/dialog";
import { Facts, Part } from "../../parts/facts";
import { Feed } from "../../parts/feed";
import { FormButton } from "../../parts/form/form";
import { formatDay, formatInstant } from "../../parts/format";
import { AgentLink } from "../../parts/links";
import { Page } from "../../parts/page";
import { Failure, Loading, Nothing, Problems } from "../../parts/states";
import { Status } from "../../parts/status";
import { words } from "../../parts/words";
import { Checklist } from "./checklist";
import { toneOf } from "./tone";

type Application = NonNullable<ApplicationQuery["application"]>;

/** One application: what is in it, what is wrong with it, and what can become of it. */
export function Review({ id, onBack }: { id: string; onBack: () => void }) {
  const { data, error, loading } = useAnswer(ApplicationDocument, { id, questions: useMay("agent-onboarding:app-configuration:read") });
  const a = data?.application;
  const back = (
    <Button size="xs" variant="default" onClick={onBack}>
      Back to the queue
    </Button>
  );
  return (
    <Page title={a ? `${a.firstName} ${a.lastName}` : "Application"} actions={a ? <Actions application={a} back={back} /> : back}>
      <Stack gap="sm">
        {error && <Failure error={error} />}
        {loading && <Loading what="the application" />}
        {data && !a && <Nothing>There is no such application.</Nothing>}
        {a && <Details application={a} questions={data.backgroundQuestions ?? []} />}
      </Stack>
    </Page>
  );
}

/** An answer in words: that to a question of yes or no is true or false. */
const answer = (value: string | null) => (value === "true" ? "Yes" : value === "false" ? "No" : (value ?? "No answer"));
const phone = (p: Application["cellPhone"]) => p && [p.areaCode, p.phoneNumber].filter(Boolean).join(" ");

function Details({ application: a, questions }: { application: Application; questions: { contentItemVersionId: string; text: string }[] }) {
  const asked = new Map(questions.map((q) => [q.contentItemVersionId, q.text]));
  const h = a.homeAddress;
  const mayTrace = useMay("read:agents");
  return (
    <>
      <Group>
        <Status tone={toneOf(a.status)}>{words(a.status)}</Status>
        {a.agentCode && <AgentLink code={a.agentCode}>{`Agent ${a.agentCode}`}</AgentLink>}
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
        <Part title="Applicant">
          <Facts
            facts={[
              ["E-mail", a.emailAddress],
              ["Recruiter", <AgentLink key="r" code={a.recruiterAgentCode} />],
              ["Born", formatDay(a.birthDate)],
              ["Tax id", a.governmentIdentifier],
              ["Home", h && [h.address1, h.city, h.jurisdiction, h.postalCode].filter(Boolean).join(", ")],
              ["Phone", phone(a.cellPhone) ?? phone(a.homePhone)],
              ["Level", a.agentLevelValue],
              ["Submitted", formatInstant(a.submittedAt)],
            ]}
          />
        </Part>
        <Part title="Checks">
          <Checklist application={a} />
        </Part>
        <Part title="Licences">
          {!a.licenses && <Text size="sm">Nothing is said of licences yet.</Text>}
          <Facts facts={[["NPN", a.licenses?.npn], ["Licensed", a.licenses ? (a.licenses.isCurrentlyLicensed ? "Yes" : "No") : null], ...(a.licenses?.items ?? []).map((l): [string, string] => [`${l.type} ${l.jurisdiction}`, [l.licenseNumber, l.expiresOn && `to ${formatDay(l.expiresOn)}`].filter(Boolean).join(", ")])]} />
        </Part>
        <Part title="Background and contract">
          {!a.background && !a.contract && <Text size="sm">No question is answered yet, and no contract agreed to.</Text>}
          <Facts facts={[["Needs approval", a.background ? (a.background.requiresApproval ? (a.background.approved ? "Approved" : "Yes") : "No") : null], ["Notes", a.background?.notes], ["Agreed", formatDay(a.contract?.agreementDate)], ["Signature", a.contract?.signature]]} />
          {a.background && a.background.responses.length > 0 && (
            <Table fz="sm" verticalSpacing={4} mt="xs" aria-label="Answers">
              <Table.Tbody>
                {a.background.responses.map((r) => (
                  <Table.Tr key={r.contentItemVersionId}>
                    <Table.Td>{asked.get(r.contentItemVersionId) ?? "A question that is no longer asked"}</Table.Td>
                    <Table.Td fw={600}>{answer(r.responseValue)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
        </Part>
        <Part title="History">
          <Table fz="sm" verticalSpacing={4}>
            <Table.Tbody>
              {a.statusHistory.map((s) => (
                <Table.Tr key={s.changedAt + s.toStatus}>
                  <Table.Td className="instant">{formatInstant(s.changedAt)}</Table.Td>
                  <Table.Td>{words(s.toStatus)}</Table.Td>
                  <Table.Td>{s.changedBy}</Table.Td>
                  <Table.Td>{s.reason}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Part>
        {mayTrace && (
          <Part title="Changes">
            <Feed of={{ entityType: "Application", entityKey: a.applicationId }} />
          </Part>
        )}
      </SimpleGrid>
    </>
  );
}

type Asked = "reject" | "hold" | "process" | null;

/** What can become of an application: the next step stands first, and stands out. */
function Actions({ application: a, back }: { application: Application; back: ReactNode }) {
  const { username: initiator } = useViewer();
  const mayReview = useMay("agent-onboarding:applications:write");
  const mayProcess = useMayForAll("write:agents");
  const [asked, setAsked] = useState<Asked>(null);
  const submit = useAction(ApplicationSubmitDocument);
  const hold = useAction(ApplicationHoldDocument);
  const resume = useAction(ApplicationResumeDocument);
  const paid = useAction(ApplicationMarkPaidDocument);
  const reject = useAction(ApplicationRejectDocument);
  const background = useAction(ApplicationBackgroundDocument);
  const process = useAction(ApplicationProcessDocument);
  const all = [submit, hold, resume, paid, reject, background, process];
  const busy = all.some((action) => action.busy);
  const problems: UserProblem[] = all.flatMap((action) => action.problems);
  const id = a.applicationId;
  const known = [a.lastModified];
  const to = new Set(a.allowedTransitions);
  const button = { size: "xs" as const, variant: "default" as const, disabled: busy };
  const next = { ...button, variant: "filled" as const };
  const approve = a.background?.requiresApproval && !a.background.approved && a.status !== "PROCESSED" && a.status !== "REJECTED";
  return (
    <>
      <Group gap="xs">
        {back}
        {mayProcess && to.has("PROCESSED") && <Button {...next} onClick={() => setAsked("process")}>Process</Button>}
        {mayReview && to.has("COMPLETE") && a.status === "ACTIVE" && <Button {...next} onClick={() => void submit.run({ known, id })}>Submit</Button>}
        {mayReview && a.status === "HOLD" && <Button {...next} onClick={() => void resume.run({ known, id })}>Resume</Button>}
        {mayReview && to.has("PAID") && <Button {...(to.has("PROCESSED") && mayProcess ? button : next)} onClick={() => void paid.run({ known, id })}>Mark paid</Button>}
        {mayReview && approve && <Button {...button} onClick={() => void background.run({ known, id, approved: true })}>Approve the background</Button>}
        {mayReview && to.has("HOLD") && <Button {...button} onClick={() => setAsked("hold")}>Hold</Button>}
        {mayReview && to.has("REJECTED") && <Button {...button} color="red" onClick={() => setAsked("reject")}>Reject</Button>}
        {mayReview && (a.status === "ACTIVE" || a.status === "HOLD") && (
          <FormButton isMain isQuiet label="Change" name="Change the application" title={`The application of ${a.firstName} ${a.lastName}`} document={ApplicationUpdateDocument} fixed={{ id }} record={a} known={a.lastModified} />
        )}
      </Group>
      {to.has("PROCESSED") && !mayProcess && <Text size="sm">It can be processed into an agent, by somebody who sees the whole agency and has the scope write:agents: an administrator, or whoever else the agency gave it to.</Text>}
      <Problems problems={problems} />
      {(asked === "reject" || asked === "hold") && <Reason what={words(asked)} onClose={() => setAsked(null)} onGiven={(reason) => (setAsked(null), void (asked === "hold" ? hold : reject).run({ known, id, reason }))} />}
      {asked === "process" && (
        <Confirm title={`Make ${a.firstName} ${a.lastName} an agent`} yes="Process" onClose={() => setAsked(null)} onYes={(why) => void process.run({ known, id, initiator, ...why })}>
          An agent is registered with what is in the application. The application is then processed and cannot change.
        </Confirm>
      )}
    </>
  );
}

function Reason({ what, onGiven, onClose }: { what: string; onGiven: (reason: string) => void; onClose: () => void }) {
  const [reason, setReason] = useState("");
  return (
    <Dialog onClose={onClose} title={`${what} the application`}>
      <Textarea label="Reason" value={reason} onChange={(e) => setReason(e.currentTarget.value)} required data-autofocus />
      <Group justify="flex-end" mt="sm">
        <Button disabled={!reason.trim()} onClick={() => onGiven(reason.trim())}>
          {what}
        </Button>
      </Group>
    </Dialog>
  );
}
