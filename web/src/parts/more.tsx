import { ActionIcon, Menu } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";

export interface Item {
  label: string;
  isDanger?: boolean;
  /** The dialog that it opens. */
  dialog: (onClose: () => void) => ReactNode;
}

/** A menu of what is needed now and then, and of what deletes; each opens a dialog. */
export function More({ label, items, isSmall }: { label: string; items: Item[]; isSmall?: boolean }) {
  const [open, setOpen] = useState<Item | null>(null);
  if (items.length === 0) return null;
  return (
    <>
      <Menu position="bottom-end" transitionProps={{ duration: 0 }}>
        <Menu.Target>
          <ActionIcon variant="default" size={isSmall ? 24 : 30} aria-label={label}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {items.map((item) => (
            <Menu.Item key={item.label} color={item.isDanger ? "red" : undefined} onClick={() => setOpen(item)}>
              {item.label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {open?.dialog(() => setOpen(null))}
    </>
  );
}
