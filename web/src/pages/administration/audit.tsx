import { SegmentedControl, Stack } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMay } from "../../app/context";
import { Feed, Reveals } from "../../parts/feed";
import { Check } from "./check";

/** Who changed or revealed what, newest first. */
export function Audit() {
  const mayCheck = useMay("read:clients");
  const { what = "changes" } = useSearch({ strict: false }) as { what?: string };
  const navigate = useNavigate();
  return (
    <Stack gap="sm">
      {mayCheck && <Check />}
      <SegmentedControl w="fit-content" size="xs" aria-label="What happened" value={what} onChange={(to) => void navigate({ to: ".", search: ((old: object) => ({ ...old, what: to })) as never })} data={[{ value: "changes", label: "Changes" }, { value: "reveals", label: "Reveals" }]} />
      <div>{what === "reveals" ? <Reveals /> : <Feed />}</div>
    </Stack>
  );
}
