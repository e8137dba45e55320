import { Combobox, Loader, TextInput, useCombobox } from "@mantine/core";
import { useDebouncedValue, useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useClient } from "urql";
import { useAnswer } from "../api/answer";
import { FindAgentsDocument, type FindAgentsQuery, type FoundFragment, PeopleDocument } from "../gql";
import { words } from "../parts/words";
import { keyOf, usePlaces } from "./places";
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
  /** What besides agents is found by a text. */
  others?: (text: string) => Place[];
}

/** Something else that is found: where it is. */
export interface Place {
  kind: string;
  label: string;
  /** Other words that find it. */
  words?: string;
  to: string;
  search?: object;
}

/** What a search asks for besides agents, where anything is looked for: licences by number, applicants, users. */
function useAsked(isAnything: boolean) {
  const people = useMay("agent-onboarding:applications:read");
  const users = useMay("read:users");
  return (text: string) => {
    const [begin = "", ...rest] = text.split(/[\s,]+/);
    return { text, licences: isAnything && /\d/.test(text), people: isAnything && people, users: isAnything && users, begin, end: rest.join(" ") || null };
  };
}

/** Where licences, applicants and users that were found are. */
function usePlacesOf() {
  const { tenant } = useViewer();
  return ({ certifications, byName, byLastName, users }: FindAgentsQuery): Place[] => {
    const applicants = new Map([...(byName?.nodes ?? []), ...(byLastName?.nodes ?? [])].map((a) => [a.applicationId, a]));
    return [
      ...(certifications?.nodes ?? []).map((c) => ({ kind: "licence", label: `${c.type.name} ${c.identifier} of ${c.agent.displayName}`, to: `/${tenant}/agents/${encodeURIComponent(c.agent.agentCode)}` })),
      ...[...applicants.values()].map((a) => ({ kind: `application, ${words(a.status).toLowerCase()}`, label: [a.firstName, a.lastName].filter(Boolean).join(" "), to: `/${tenant}/onboarding`, search: { application: a.applicationId } })),
      ...(users?.nodes ?? []).map((u) => ({ kind: "user", label: [u.username, u.email].filter(Boolean).join(", "), to: `/${tenant}/administration`, search: { tab: "users" } })),
    ];
  };
}

/** What tells namesakes apart. */
const told = (agent: FoundFragment) => [agent.displayName, agent.agentCode, agent.homeAddress?.jurisdiction?.code, agent.membership?.directUplineCode && `below ${agent.membership.directUplineCode}`, !agent.isActive && "not active"].filter(Boolean).join(" · ");

/**
 * A field that finds agents by whatever people type: name, with a slip, alias, code, NPN, e-mail, telephone. Enter takes the best hit, even
 * before it is shown. A field of a form does the same with what was typed when it is left;
 * emptied, it holds nobody.
 */
export function AgentPicker({ label, onPick, placeholder, hideLabel, initial = "", size = "sm", error: fault, others }: AgentPickerProps) {
  const client = useClient();
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  useHotkeys(others ? [["mod+K", () => input.current?.select()]] : [], [], true);
  const { onDate, asKnownAt } = useDay();
  const [text, setText] = useState(initial);
  const typed = text.trim();
  const [wanted] = useDebouncedValue(typed, 180);
  const [problem, setProblem] = useState("");
  const picked = useRef(initial);
  // Who was chosen is typed over, also where the name comes a moment after the code.
  useLayoutEffect(() => {
    if (text !== "" && text === picked.current && document.activeElement === input.current) input.current?.select();
  }, [text]);
  const latest = useRef(text);
  // Who was chosen is shown by name, as soon as it is known.
  const [code, setCode] = useState(hideLabel ? "" : initial);
  const { data: who } = useAnswer(PeopleDocument, { codes: [code], first: 1 }, code === "" || !useMay("read:agents"));
  const name = who?.agents.nodes[0];
  useEffect(() => {
    if (!name || latest.current !== name.agentCode || picked.current !== name.agentCode) return;
    picked.current = `${name.displayName} · ${name.agentCode}`;
    write(picked.current);
  }, [name]);
  const ask = useAsked(others !== undefined);
  const asked = (about: string) => ({ ...ask(about), first: shown, onDate, asKnownAt });
  const { data, error, loading } = useAnswer(FindAgentsDocument, asked(wanted), !isEnough(wanted) || wanted !== typed || wanted === picked.current);
  const found = data && wanted === typed ? data.agents : null;
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const write = (next: string) => {
    latest.current = next;
    setText(next);
    setProblem("");
  };
  const placesFor = usePlacesOf();
  const places = others && typed.length > 1 ? [...others(typed), ...(found ? placesFor(data!) : [])] : [];
  const go = (place: Place) => {
    write("");
    combobox.closeDropdown();
    void navigate({ to: place.to, search: (place.search ?? {}) as never });
    intoPage();
  };
  const pick = (code: string, found = data?.agents.nodes.find((a) => a.agentCode === code)) => {
    picked.current = hideLabel ? "" : found ? `${found.displayName} · ${code}` : code;
    if (!hideLabel) setCode(found ? "" : code);
    write(picked.current);
    combobox.closeDropdown();
    onPick(code);
  };
  /** Takes what was typed last, whether or not its answer is there. */
  const take = async () => {
    const about = latest.current.trim();
    if (about === "" || about === picked.current) return;
    const elsewhere = others?.(about) ?? [];
    const named = elsewhere.find((place) => place.label.toLowerCase() === about.toLowerCase());
    if (named) return go(named);
    const { data, error } = await client.query(FindAgentsDocument, asked(about)).toPromise();
    if (latest.current.trim() !== about) return; // more was typed meanwhile
    const best = data?.agents.nodes[0]; // the server has the best first
    if (best) return pick(best.agentCode, best);
    const place = elsewhere[0] ?? (others && data ? placesFor(data)[0] : undefined);
    if (place) return go(place);
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
    <Combobox store={combobox} onOptionSubmit={(value) => (value.startsWith("/") ? go(places.find((place) => keyOf(place) === value)!) : pick(value))}>
      <Combobox.Target>
        <TextInput
          ref={input}
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
            const end = { Home: 0, End: (found?.nodes.length ?? 0) + places.length - 1 }[event.key];
            if (end !== undefined && combobox.dropdownOpened && combobox.getSelectedOptionIndex() >= 0) {
              event.preventDefault();
              combobox.selectOption(end);
            }
            if (event.key !== "Enter" || event.nativeEvent.isComposing || combobox.getSelectedOptionIndex() >= 0) return;
            event.preventDefault();
            void take();
          }}
          onFocus={(event) => {
            if (!hideLabel) event.currentTarget.select();
            combobox.openDropdown();
          }}
          onBlur={leave}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={!found && !error && !problem && places.length === 0}>
        <Combobox.Options aria-label={label}>
          {found?.nodes.map((agent) => (
            <Combobox.Option key={agent.id} value={agent.agentCode}>
              {told(agent)}
            </Combobox.Option>
          ))}
          {places.map((place) => (
            <Combobox.Option key={keyOf(place)} value={keyOf(place)}>
              {place.label} · {place.kind}
            </Combobox.Option>
          ))}
        </Combobox.Options>
        <Combobox.Footer role="status" hidden={!problem && !error && !found?.pageInfo.hasNextPage && (found?.nodes.length !== 0 || places.length > 0)}>
          {problem || error?.message || (found?.pageInfo.hasNextPage ? `The first ${shown}; type more of the name.` : `Nobody is found by “${typed}”.`)}
        </Combobox.Footer>
      </Combobox.Dropdown>
    </Combobox>
  );
}

/** The keyboard goes on in the page that a search led to. */
function intoPage() {
  const main = document.querySelector("main");
  if (!main) return;
  main.tabIndex = -1;
  main.focus({ preventScroll: true });
}

/** The search of the header: leads to an agent, a page, a report, or to where something is done. */
export function FindAgent() {
  const { tenant } = useViewer();
  const navigate = useNavigate();
  const others = usePlaces();
  if (!useMay("read:agents")) return null;
  return <AgentPicker hideLabel label="Find an agent, a licence, an applicant, a page or a report" placeholder="Find anything (Ctrl K)" others={others} onPick={(code) => (void navigate({ to: `/${tenant}/agents/${encodeURIComponent(code)}` }), intoPage())} />;
}
