import { Combobox, Loader, TextInput, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAnswer } from "../api/answer";
import { FindAgentsDocument, type FoundFragment } from "../gql";
import { useDay, useMay, useViewer } from "./context";

/** The agents whose code is the text, or whose last or first name begins with it. */
function useFound(text: string): { found: FoundFragment[]; loading: boolean } {
  const { onDate, asKnownAt } = useDay();
  const { data, loading } = useAnswer(FindAgentsDocument, { text, codes: [text.toUpperCase()], onDate, asKnownAt }, text.length < 2);
  const all = data ? [...data.byCode.nodes, ...data.byLastName.nodes, ...data.byFirstName.nodes] : [];
  return { found: all.filter((a, i) => all.findIndex((b) => b.id === a.id) === i).slice(0, 12), loading };
}

interface AgentPickerProps {
  label: string;
  onPick: (code: string) => void;
  placeholder?: string;
  hideLabel?: boolean;
  /** What stands in the field at first. */
  initial?: string;
  size?: "xs" | "sm";
}

/** A field that finds an agent by code or name. */
export function AgentPicker({ label, onPick, placeholder, hideLabel, initial = "", size = "sm" }: AgentPickerProps) {
  const [text, setText] = useState(initial);
  const [wanted] = useDebouncedValue(text.trim(), 180);
  const { found, loading } = useFound(wanted === initial ? "" : wanted);
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(code) => {
        onPick(code);
        setText(hideLabel ? "" : code);
        combobox.closeDropdown();
      }}
    >
      <Combobox.Target>
        <TextInput
          size={size}
          label={hideLabel ? undefined : label}
          aria-label={hideLabel ? label : undefined}
          placeholder={placeholder ?? "Code or name"}
          value={text}
          leftSection={<IconSearch size={15} />}
          rightSection={loading ? <Loader size={14} /> : null}
          onChange={(event) => {
            setText(event.currentTarget.value);
            combobox.openDropdown();
            combobox.selectFirstOption();
          }}
          onFocus={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={found.length === 0}>
        <Combobox.Options aria-label={label}>
          {found.map((agent) => (
            <Combobox.Option key={agent.id} value={agent.agentCode}>
              {agent.displayName} · {agent.agentCode}
              {agent.isActive ? "" : " · not active"}
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

/** The search of the header: leads to an agent. */
export function FindAgent() {
  const { tenant } = useViewer();
  const navigate = useNavigate();
  if (!useMay("read:agents")) return null;
  return <AgentPicker hideLabel label="Find an agent" placeholder="Find an agent" onPick={(code) => void navigate({ to: `/${tenant}/agents/${encodeURIComponent(code)}` })} />;
}
