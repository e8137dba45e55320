import { Button, Group, Modal, type ModalProps, Text } from "@mantine/core";
import { useCallback, useRef, useState } from "react";

const field = 'input:not([type="hidden"]):not([disabled]), textarea:not([disabled])';

/** Lets a dialog begin on its first field, unless it says where. */
function begin(body: HTMLElement) {
  if (!body.querySelector("[data-autofocus]")) body.querySelector(field)?.setAttribute("data-autofocus", "");
}

/**
 * Keeps the keyboard in a dialog. A button that waits for its answer loses it, and has it back
 * afterwards; one that does something else by then has not, so that who presses Enter twice
 * does not apply what nobody has read: the keyboard is beside it.
 */
function holdFocus(body: HTMLElement) {
  let last: HTMLElement | null = null;
  let said = "";
  const note = (event: FocusEvent) => {
    last = event.target as HTMLElement;
    said = last.textContent ?? "";
  };
  const back = () => {
    if (!last || (document.activeElement !== document.body && document.activeElement !== null)) return;
    if (last.isConnected && (last as HTMLButtonElement).disabled) return;
    const to = last.isConnected && last.textContent === said ? last : ((last.isConnected ? last.parentElement : null) ?? body);
    if (to !== last) to.tabIndex = -1;
    to.focus();
  };
  body.addEventListener("focusin", note);
  const watch = new MutationObserver(back);
  watch.observe(body, { subtree: true, childList: true, attributes: true, attributeFilter: ["disabled"] });
  return () => {
    body.removeEventListener("focusin", note);
    watch.disconnect();
  };
}

/** A dialog: it begins on its first field, keeps the keyboard, and asks before what was typed is discarded. */
export function Dialog({ onClose, children, ...modal }: Omit<ModalProps, "opened">) {
  const touched = useRef(false);
  const [asks, setAsks] = useState(false);
  const touch = () => void (touched.current = true);
  const hold = useCallback((body: HTMLDivElement | null) => {
    if (!body) return;
    begin(body);
    return holdFocus(body);
  }, []);
  return (
    <Modal {...modal} opened onClose={() => (touched.current ? setAsks(true) : onClose())} closeButtonProps={{ "aria-label": "Close" }}>
      <div ref={hold} onInput={touch} onClick={(e) => (e.target as HTMLElement).closest('[role="option"]') && touch()}>
        {children}
      </div>
      {asks && (
        <Modal opened onClose={() => setAsks(false)} title="Discard what you typed?" size="sm" centered closeButtonProps={{ "aria-label": "Close" }}>
          <Text size="sm">It is not kept anywhere.</Text>
          <Group justify="flex-end" mt="md">
            <Button variant="default" data-autofocus onClick={() => setAsks(false)}>
              Go on
            </Button>
            <Button color="red" onClick={onClose}>
              Discard
            </Button>
          </Group>
        </Modal>
      )}
    </Modal>
  );
}
