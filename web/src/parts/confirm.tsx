import { Button, Group, Modal, Text } from "@mantine/core";
import type { ReactNode } from "react";

interface ConfirmProps {
  title: string;
  children: ReactNode;
  /** What the button says that does it. */
  yes: string;
  danger?: boolean;
  onYes: () => void;
  onClose: () => void;
}

/** Asks before something is done that a click alone should not do. */
export function Confirm({ title, children, yes, danger, onYes, onClose }: ConfirmProps) {
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": "Close" }}>
      <Text size="sm" component="div">
        {children}
      </Text>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button color={danger ? "red" : undefined} onClick={() => (onClose(), onYes())}>
          {yes}
        </Button>
      </Group>
    </Modal>
  );
}
