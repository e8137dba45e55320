import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useAction } from "../api/answer";
import { ViewerSessionsEndDocument } from "../gql";
import { Problems } from "../parts/states";

/** Asks before all sessions of whoever looks are ended, this one among them. */
export default function SignOutEverywhere({ onClose }: { onClose: () => void }) {
  const end = useAction(ViewerSessionsEndDocument, "live");
  const run = async () => {
    if (await end.run({})) location.assign("/oauth2/sign-out");
  };
  return (
    <Modal opened onClose={onClose} title="Sign out everywhere" closeButtonProps={{ "aria-label": "Close" }}>
      <Stack>
        <Text size="sm">Ends your sessions in every browser, this one too, and what programs may do in your name.</Text>
        <Problems problems={end.problems} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Stay
          </Button>
          <Button color="red" loading={end.busy} onClick={() => void run()}>
            Sign out everywhere
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
