import { Combobox, MultiSelect, type MultiSelectProps, TextInput, type TextInputProps, useCombobox } from "@mantine/core";
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { type Choice, found } from "./choices";

interface ChooseProps extends Omit<TextInputProps, "value" | "onChange" | "type"> {
  data: readonly (string | Choice)[];
  value: string | null;
  onChange: (value: string | null) => void;
  /** Whether nothing can be chosen, too. */
  clearable?: boolean;
  /** What stands there where nothing is found. */
  nothingFoundMessage?: string;
  /** In a popover the choices belong to it: outside, they would close it. */
  isWithin?: boolean;
}

const choicesOf = (data: readonly (string | Choice)[]) => data.map((one) => (typeof one === "string" ? { value: one, label: one } : one));

/**
 * A field that takes one of some choices. What is typed finds by first letters, of names and of
 * codes; Enter takes the best of what is found; Home and End lead to the ends of the list.
 */
export function Choose({ data, value, onChange, clearable = false, nothingFoundMessage = "Nothing is found", isWithin = false, ...field }: ChooseProps) {
  const choices = choicesOf(data);
  const chosen = choices.find((c) => c.value === value);
  // Undefined while nothing is typed: then the chosen one stands in the field.
  const [typed, setTyped] = useState<string>();
  const combobox = useCombobox({ onDropdownOpen: () => combobox.updateSelectedOptionIndex("active", { scrollIntoView: true }), onDropdownClose: () => (combobox.resetSelectedOption(), setTyped(undefined)) });
  const shown = found(choices, typed ?? "");
  useEffect(() => {
    if (typed) combobox.selectFirstOption();
  }, [typed]);
  // What is shown once it is known is replaced by typing, as what stood there before.
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (typed === undefined && document.activeElement === input.current) input.current?.select();
  }, [chosen?.label]);
  const take = (next: string | null) => {
    setTyped(undefined);
    combobox.closeDropdown();
    if (next !== value) onChange(next);
  };
  const press = (event: KeyboardEvent) => {
    if (!combobox.dropdownOpened || event.nativeEvent.isComposing) return;
    const end = { Home: 0, End: shown.length - 1 }[event.key];
    if (end !== undefined && !typed) {
      event.preventDefault();
      combobox.selectOption(end);
    }
    if (event.key !== "Enter" || combobox.getSelectedOptionIndex() >= 0) return;
    // The best is taken even before the list is drawn; one that is emptied holds nothing, where it may.
    event.preventDefault();
    if (typed === "" && clearable) take(null);
    else if (typed && shown[0]) take(shown[0].value);
  };
  const leave = () => {
    if (typed === "" && clearable) take(null);
    combobox.closeDropdown();
  };
  return (
    <Combobox store={combobox} withinPortal={!isWithin} onOptionSubmit={take}>
      <Combobox.Target>
        <TextInput
          {...field}
          ref={input}
          value={typed ?? chosen?.label ?? value ?? ""}
          autoComplete="off"
          rightSectionPointerEvents={clearable && value ? "all" : "none"}
          rightSection={clearable && value && !field.disabled ? <Combobox.ClearButton aria-label="Clear" size="sm" onClear={() => take(null)} /> : <Combobox.Chevron />}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            combobox.openDropdown();
          }}
          onClick={() => combobox.openDropdown()}
          onFocus={(event) => {
            event.currentTarget.select();
            field.onFocus?.(event);
          }}
          onBlur={leave}
          onKeyDown={press}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options mah={260} style={{ overflowY: "auto" }} aria-label={typeof field.label === "string" ? field.label : field["aria-label"]}>
          {shown.map((c) => (
            <Combobox.Option key={c.value} value={c.value} active={c.value === value}>
              {c.label}
            </Combobox.Option>
          ))}
          {shown.length === 0 && <Combobox.Empty>{nothingFoundMessage}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

interface ChooseManyProps extends Omit<MultiSelectProps, "data" | "filter" | "searchable"> {
  data: readonly (string | Choice)[];
  /** In a popover the choices belong to it: outside, they would close it. */
  isWithin?: boolean;
}

/** A field that takes several of some choices, which are found as in a field for one. */
export const ChooseMany = ({ data, isWithin = false, ...field }: ChooseManyProps) => (
  <MultiSelect {...field} data={choicesOf(data)} searchable selectFirstOptionOnChange filter={({ options, search }) => found(options as Choice[], search)} comboboxProps={{ withinPortal: !isWithin }} />
);
