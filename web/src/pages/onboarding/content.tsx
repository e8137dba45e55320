import { Drawer, List, Stack, Text, Title } from "@mantine/core";
import { useAnswer } from "../../api/answer";
import { OnboardingContentDocument } from "../../gql";
import { Facts } from "../../parts/facts";
import { formatInstant, words } from "../../parts/format";
import { Failure, Loading } from "../../parts/states";

/** What the agency publishes for its recruits: what is collected, questions, the contract. */
export function Content({ onClose }: { onClose: () => void }) {
  const { data, error, loading } = useAnswer(OnboardingContentDocument, {});
  const c = data?.appConfiguration;
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title="What recruits are asked" closeButtonProps={{ "aria-label": "Close" }}>
      {error && <Failure error={error} />}
      {loading && <Loading what="the configuration" />}
      {c && data && (
        <Stack>
          <Facts
            facts={[
              ["Version", c.version],
              ["Published", formatInstant(c.publishedAt)],
              ["Payment", c.requiresPayment ? "Required" : "Not required"],
              ["Pay status", c.defaultPayStatus],
              ["Level", c.defaultAgentLevel],
              ["Collects", Object.entries(c).flatMap(([name, on]) => (name.startsWith("collect") && on === true ? words(name.slice(7).replace(/([A-Z])/g, " $1").trim()).toLowerCase() : [])).join(", ")],
              ["Products", c.products.map((p) => `${p.name} (${p.price} ${p.currency})`).join(", ")],
            ]}
          />
          <Title order={3} size="h5">
            Questions
          </Title>
          {data.backgroundQuestions.length === 0 && <Text size="sm">None.</Text>}
          <List size="sm" type="ordered">
            {data.backgroundQuestions.map((q) => (
              <List.Item key={q.contentItemVersionId}>{q.text}</List.Item>
            ))}
          </List>
          <Title order={3} size="h5">
            Contract
          </Title>
          {data.contract ? (
            <>
              <Text size="sm">
                {data.contract.title}, version {data.contract.versionNumber}
              </Text>
              <List size="sm" type="ordered">
                {data.contract.covenants.map((v) => (
                  <List.Item key={v.contentItemVersionId}>{v.title ?? v.text}</List.Item>
                ))}
              </List>
            </>
          ) : (
            <Text size="sm">None is published.</Text>
          )}
        </Stack>
      )}
    </Drawer>
  );
}
