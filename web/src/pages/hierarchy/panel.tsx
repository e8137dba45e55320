import { Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { Facts } from "../../parts/facts";
import { AgentLink } from "../../parts/links";
import type { Placed } from "./forest";
import type { Depth } from "./state";

interface PanelProps {
  placed: Placed;
  depth: Depth | undefined;
  mayMove: boolean;
  onOpen: (depth: Depth | null) => void;
  onRoot: () => void;
  onMove: () => void;
}

/** What is known of the chosen agent, and what can be done from there. */
export function Panel({ placed, depth, mayMove, onOpen, onRoot, onMove }: PanelProps) {
  const card = placed.card!;
  const button = { size: "compact-xs" as const, variant: "default" as const };
  return (
    <Paper withBorder p="sm" component="section" aria-label={`About ${card.name}`}>
      <Stack gap="xs">
        <Title order={2} size="h5">
          {card.name}
        </Title>
        <Facts
          facts={[
            ["Code", <AgentLink key="code" code={card.code} />],
            ["Level", card.levelName],
            ["Pay status", card.payStatus ?? (card.isActive ? "active" : "not active")],
            ["In force", card.licences === null ? null : `${card.licences} certifications`],
            ["Direct", card.direct],
            ["Below", card.downline],
          ]}
        />
        {card.direct > 0 && (
          <Group gap={6}>
            {depth ? (
              <Button {...button} onClick={() => onOpen(null)}>
                Close
              </Button>
            ) : (
              <Button {...button} onClick={() => onOpen("some")}>
                Open
              </Button>
            )}
            {depth !== "direct" && (
              <Button {...button} onClick={() => onOpen("direct")}>
                All {card.direct} reports
              </Button>
            )}
            {depth !== "all" && card.downline > card.direct && (
              <Button {...button} onClick={() => onOpen("all")}>
                Everybody below
              </Button>
            )}
          </Group>
        )}
        <Group gap={6}>
          <Button {...button} onClick={onRoot}>
            Show only this part
          </Button>
          {mayMove && (
            <Button {...button} onClick={onMove}>
              Move, as a trial
            </Button>
          )}
        </Group>
        {!placed.isOpen && card.direct === 0 && <Text size="xs" c="dimmed">Nobody is below.</Text>}
      </Stack>
    </Paper>
  );
}
