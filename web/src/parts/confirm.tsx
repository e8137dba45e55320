import { Button, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Dialog } from "./dialog";
import { type Given, useReason } from "./reason";

interface ConfirmProps {
  title: string;
  children: ReactNode;
  /** What the button says that does it. */
  yes: string;
  danger?: boolean;
  onYes: (why: Given) => void;
  onClose: () => void;
}

/** Asks before something is done that a click alone should not do, and why. */
export function Confirm({ title, children, yes, danger, onYes, onClose }: ConfirmProps) {
  const [why, reason] = useReason("xs");
  return (
    <Dialog onClose={onClose} title={title}>
      <Text size="sm" component="div" mb="sm">
        {children}
      </Text>
      {reason}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button color={danger ? "red" : undefined} onClick={() => (onClose(), onYes(why))}>
          {yes}
        </Button>
      </Group>
    </Dialog>
  );
}
