import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";

interface PageInfo {
  hasNextPage: boolean;
  endCursor: string | null;
}

/** The places of the pages that were turned over. */
export function usePages() {
  const [cursors, setCursors] = useState<string[]>([]);
  return { after: cursors[cursors.length - 1] ?? null, cursors, setCursors };
}

/** Turns pages, where there is more than one, below what they hold. */
export function Pager({ pages, info, children }: { pages: ReturnType<typeof usePages>; info: PageInfo | undefined; children?: React.ReactNode }) {
  const { cursors, setCursors } = pages;
  const next = info?.hasNextPage ? info.endCursor : null;
  return (
    <Group gap="xs" mt="xs">
      <Text size="sm" c="dimmed">
        {children}
      </Text>
      {(cursors.length > 0 || next) && (
        <>
          <Button size="compact-xs" variant="default" disabled={cursors.length === 0} onClick={() => setCursors(cursors.slice(0, -1))}>
            Back
          </Button>
          <Button size="compact-xs" variant="default" disabled={!next} onClick={() => next && setCursors([...cursors, next])}>
            Next
          </Button>
        </>
      )}
    </Group>
  );
}
