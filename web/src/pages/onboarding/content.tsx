import { Drawer, Stack } from "@mantine/core";
import { useAnswer } from "../../api/answer";
import { useMay } from "../../app/context";
import { OnboardingContentDocument } from "../../gql";
import { Failure, Loading } from "../../parts/states";
import { Configuration } from "./configuration";
import { Contract } from "./contract";
import { Questions } from "./questions";

/** What the agency publishes for its recruits: what is collected, questions, the contract. */
export function Content({ onClose }: { onClose: () => void }) {
  const may = useMay("agent-onboarding:app-configuration:write");
  const reference = useMay("read:agents") && may;
  const { data, error, loading } = useAnswer(OnboardingContentDocument, { reference });
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title="What recruits are asked" closeButtonProps={{ "aria-label": "Close" }}>
      {error && <Failure error={error} />}
      {loading && <Loading what="the configuration" />}
      {data && (
        <Stack>
          <Configuration key={data.appConfiguration.version} content={data} may={may} />
          <Questions questions={data.backgroundQuestions} may={may} />
          <Contract contract={data.contract} may={may} />
        </Stack>
      )}
    </Drawer>
  );
}
