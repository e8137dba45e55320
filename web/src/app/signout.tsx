import { Button, Group, Stack, Text } from "@mantine/core";
import { useAction } from "../api/answer";
import { ViewerSessionsEndDocument } from "../gql";
import { Dialog } from "../parts/dialog";
import { Problems } from "../parts/states";

/** Asks before all sessions of whoever looks are ended, this one among them. */
export default function SignOutEverywhere({ onClose }: { onClose: () => void }) {
  const end = useAction(ViewerSessionsEndDocument, "live");
  const run = async () => {
    if (await end.run({})) location.assign("/oauth2/sign-out");
  };
  return (
    <Dialog onClose={onClose} title="Sign out everywhere">
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
    </Dialog>
  );
}
