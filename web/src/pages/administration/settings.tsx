import { Text } from "@mantine/core";
import { useViewer } from "../../app/context";
import { Facts, Part } from "../../parts/facts";
import { formatDay } from "../../parts/format";

/** What holds in the whole agency. */
export function Settings() {
  const v = useViewer();
  return (
    <Part title="The agency">
      <Facts
        facts={[
          ["Identifier", v.tenant],
          ["Time zone", v.timeZone],
          ["Today there", formatDay(v.today)],
          ["History", `${formatDay(v.first)} – ${formatDay(v.last)}`],
          ["Rows in a page", `${v.defaultPageSize}, ${v.pageSize} at most`],
        ]}
      />
      <Text size="xs" c="dimmed" mt={6}>
        The operator sets them with upline tenant.
      </Text>
    </Part>
  );
}
