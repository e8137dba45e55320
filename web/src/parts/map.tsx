import * as Plot from "@observablehq/plot";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import atlas from "us-atlas/states-albers-10m.json";
import { useEffect, useMemo } from "react";
import { useElementSize } from "@mantine/hooks";
import { useAnswer } from "../api/answer";
import { ReferenceDocument } from "../gql";
import { put } from "./plot";
import { Loading } from "./states";
import { count, formatNumber } from "./format";
import { amountIn } from "./marks";
import type { Result, ResultColumn } from "./result";

const topology = atlas as unknown as Topology<{ states: GeometryCollection<{ name: string }> }>;
const states = feature(topology, topology.objects.states);
const drawnStates = new Set(states.features.map((f) => f.properties.name));

/** How much of a column each state has. Rows of other places are not on the map, and it says how much is theirs. */
export function StateMap({ result, place, value }: { result: Result; place: ResultColumn; value: ResultColumn }) {
  const { data } = useAnswer(ReferenceDocument, {});
  const { ref, width } = useElementSize<HTMLDivElement>();
  const { sums, elsewhere } = useMemo(() => {
    const names = new Map((data?.jurisdictions ?? []).map((j) => [j.code, j.name]));
    const sums = new Map<string, number>();
    let elsewhere = 0;
    for (const row of result.rows) {
      const code = String(row[place.key]);
      const name = names.get(code) ?? "";
      const isHere = code.startsWith("US-") && drawnStates.has(name);
      if (!isHere) elsewhere++;
      sums.set(isHere ? name : "", (sums.get(isHere ? name : "") ?? 0) + amountIn(row, value));
    }
    return { sums, elsewhere };
  }, [result, place, value, data]);
  useEffect(() => {
    const host = ref.current;
    if (!host || width === 0 || !data) return;
    const drawn = Plot.plot({
      width: Math.min(width, 900),
      height: Math.min(width, 900) * 0.64,
      projection: { type: "identity", domain: states },
      style: { background: "transparent" },
      ariaLabel: `${value.label} by state`,
      color: { scheme: "blues", label: value.label, legend: true, zero: true },
      marks: [
        Plot.geo(states, {
          fill: (f: { properties: { name: string } }) => sums.get(f.properties.name),
          stroke: "#868e96",
          strokeWidth: 0.6,
          title: (f: { properties: { name: string } }) => `${f.properties.name}: ${sums.get(f.properties.name) ?? "none"}`,
          tip: true,
        } as Plot.GeoOptions),
      ],
    });
    return put(host, drawn);
  }, [sums, value, width, data, ref]);
  return (
    <>
      {!data && <Loading what="the map" />}
      <div className="plot" ref={ref} role="figure" aria-label={`${value.label} by state`} />
      <small>
        The rows of a state are added up.{elsewhere > 0 && ` ${count(elsewhere, "row")} of places that are not on the map: ${formatNumber(sums.get("")!)} of ${value.label}.`}
      </small>
    </>
  );
}
