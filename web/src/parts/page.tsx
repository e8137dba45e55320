import { Box, Group, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";

/** The head of a view: its title, and what can be done in it. */
export function Page({ title, actions, children, fill }: { title: string; actions?: ReactNode; children: ReactNode; fill?: boolean }) {
  useDocumentTitle(`${title} – Upline`);
  return (
    <Box className={fill ? "page fill" : "page"}>
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={1} size="h3">
          {title}
        </Title>
        <Group gap="xs">{actions}</Group>
      </Group>
      {children}
    </Box>
  );
}
