import { Combobox, Loader, TextInput, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useClient } from "urql";
import { useAnswer } from "../api/answer";
import { FindAgentsDocument } from "../gql";
import { useDay, useMay, useViewer } from "./context";

const shown = 12;

/** What may be a name: two letters, or one where a name has one, as in Chinese. */
const isEnough = (text: string) => text.length > 1 || /[^\x00-\x7f]/.test(text);

interface AgentPickerProps {
  label: string;
  onPick: (code: string) => void;
  placeholder?: string;
  hideLabel?: boolean;
  /** What stands in the field at first. */
  initial?: string;
  size?: "xs" | "sm";
  /** What is wrong with who was picked. */
  error?: string | undefined;
}

/**
 * A field that finds agents by whatever people type: name, alias, code, NPN, e-mail, telephone. Enter takes the best hit, even
 * before it is shown. A field of a form does the same with what was typed when it is left;
 * emptied, it holds nobody.
 */
export function AgentPicker({ label, onPick, placeholder, hideLabel, initial = "", size = "sm", error: fault }: AgentPickerProps) {
  const client = useClient();
  const { onDate, asKnownAt } = useDay();
  const [text, setText] = useState(initial);
  const typed = text.trim();
  const [wanted] = useDebouncedValue(typed, 180);
  const [problem, setProblem] = useState("");
  const picked = useRef(initial);
  const latest = useRef(text);
  const asked = (about: string) => ({ text: about, first: shown, onDate, asKnownAt });
  const { data, error, loading } = useAnswer(FindAgentsDocument, asked(wanted), !isEnough(wanted) || wanted === picked.current);
  const found = data && wanted === typed ? data.agents : null;
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const write = (next: string) => {
    latest.current = next;
    setText(next);
    setProblem("");
  };
  const pick = (code: string) => {
    picked.current = hideLabel ? "" : code;
    write(picked.current);
    combobox.closeDropdown();
    onPick(code);
  };
  /** Takes what was typed last, whether or not its answer is there. */
  const take = async () => {
    const about = latest.current.trim();
    if (about === "" || about === picked.current) return;
    const { data, error } = await client.query(FindAgentsDocument, asked(about)).toPromise();
    if (latest.current.trim() !== about) return; // more was typed meanwhile
    const best = data?.agents.nodes[0]; // the server has the best first
    if (best) return pick(best.agentCode);
    setProblem(error ? error.message : `Nobody is found by “${about}”.`);
  };
  const leave = () => {
    combobox.closeDropdown();
    if (hideLabel) return;
    if (typed !== "" && typed !== picked.current) {
      // A button that is pressed at once sends a code that was typed, not the one before.
      if (/^\S*\d\S*$/.test(typed)) onPick(typed.toUpperCase());
      return void take();
    }
    if (typed === "" && picked.current !== "") pick("");
  };
  return (
    <Combobox store={combobox} onOptionSubmit={pick}>
      <Combobox.Target>
        <TextInput
          size={size}
          label={hideLabel ? undefined : label}
          aria-label={hideLabel ? label : undefined}
          placeholder={placeholder ?? "Code or name"}
          value={text}
          error={!hideLabel && (problem || fault)}
          leftSection={<IconSearch size={15} />}
          rightSection={loading ? <Loader size={14} /> : null}
          onChange={(event) => {
            write(event.currentTarget.value);
            combobox.openDropdown();
            combobox.resetSelectedOption();
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.nativeEvent.isComposing || combobox.getSelectedOptionIndex() >= 0) return;
            event.preventDefault();
            void take();
          }}
          onFocus={() => combobox.openDropdown()}
          onBlur={leave}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={!found && !error && !problem}>
        <Combobox.Options aria-label={label}>
          {found?.nodes.map((agent) => (
            <Combobox.Option key={agent.id} value={agent.agentCode}>
              {agent.displayName} · {agent.agentCode}
              {agent.isActive ? "" : " · not active"}
            </Combobox.Option>
          ))}
        </Combobox.Options>
        <Combobox.Footer role="status" hidden={!problem && !error && !found?.pageInfo.hasNextPage && found?.nodes.length !== 0}>
          {problem || error?.message || (found?.pageInfo.hasNextPage ? `The first ${shown}; type more of the name.` : `Nobody is found by “${typed}”.`)}
        </Combobox.Footer>
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
