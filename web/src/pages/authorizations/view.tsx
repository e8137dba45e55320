import { Tabs } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Page } from "../../parts/page";
import { Matrix } from "./matrix";
import { Products } from "./products";

/** The page of who may sell what where, and of the products with their rules. */
export function View() {
  const { tab } = useSearch({ strict: false }) as { tab?: string };
  const navigate = useNavigate();
  const tabs = [
    { value: "matrix", label: "Who may sell", content: <Matrix /> },
    { value: "products", label: "Products", content: <Products /> },
  ];
  const chosen = tabs.find((t) => t.value === tab) ?? tabs[0]!;
  return (
    <Page title="Sales authorizations">
      <Tabs value={chosen.value} onChange={(to) => to && void navigate({ to: ".", search: ((old: object) => ({ ...old, tab: to })) as never })} keepMounted={false}>
        <Tabs.List mb="sm">
          {tabs.map((t) => (
            <Tabs.Tab key={t.value} value={t.value}>
              {t.label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={chosen.value}>{chosen.content}</Tabs.Panel>
      </Tabs>
    </Page>
  );
}
