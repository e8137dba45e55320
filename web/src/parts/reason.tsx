import { TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { labelOf } from "./words";

/** The reason of a change, as its input takes it. */
export type Given = { reason?: string };

/** What is typed as the reason of a change, as its input takes it, and the field for it. */
export function useReason(size: "xs" | "sm" = "sm"): [given: Given, field: ReactNode] {
  const [reason, setReason] = useState("");
  return [reason.trim() ? { reason: reason.trim() } : {}, <TextInput key="reason" size={size} label={labelOf("reason")} maxLength={500} value={reason} onChange={(e) => setReason(e.currentTarget.value)} />];
}
