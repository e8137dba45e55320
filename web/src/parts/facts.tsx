import { Paper, Title } from "@mantine/core";
import { Fragment, type ReactNode } from "react";
import { Why } from "./why";

/** A titled part of a view. */
export function Part({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <Paper withBorder p="sm" component="section" aria-label={title}>
      <div style={{ display: "flex", justifyContent: "space-between", marginBottom: 8, gap: 8 }}>
        <Title order={2} size="h5">
          {title}
        </Title>
        {actions}
      </div>
      {children}
    </Paper>
  );
}

/** A name, its value, and the path of the field that it is, if it is one. */
type Fact = [name: string, value: ReactNode, field?: string];

/** Names with values; those without a value are left out. The name of a field of an object says why its value is what it is. */
export function Facts({ facts, of }: { facts: Fact[]; of?: string }) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== "")
        .map(([name, value, field]) => (
          <Fragment key={name}>
            <dt>{of && field ? <Why of={of} field={field} name={name} /> : name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}
