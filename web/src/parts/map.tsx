import * as Plot from "@observablehq/plot";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import atlas from "us-atlas/states-albers-10m.json";
import { useEffect } from "react";
import { useElementSize } from "@mantine/hooks";
import { useAnswer } from "../api/answer";
import { ReferenceDocument } from "../gql";
import { put } from "./plot";
import { Loading } from "./states";
import type { Result, ResultColumn } from "./result";

const topology = atlas as unknown as Topology<{ states: GeometryCollection<{ name: string }> }>;
const states = feature(topology, topology.objects.states);

/** How much of a column each state has. Rows of other countries are not on the map, and it says so. */
export function StateMap({ result, place, value }: { result: Result; place: ResultColumn; value: ResultColumn }) {
  const { data } = useAnswer(ReferenceDocument, {});
  const { ref, width } = useElementSize<HTMLDivElement>();
  useEffect(() => {
    const host = ref.current;
    if (!host || width === 0 || !data) return;
    const names = new Map(data.jurisdictions.map((j) => [j.code, j.name]));
    const sums = new Map<string, number>();
    for (const row of result.rows) {
      const name = names.get(String(row[place.key]));
      if (name && String(row[place.key]).startsWith("US-")) sums.set(name, (sums.get(name) ?? 0) + Number(row[value.key]));
    }
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
  }, [result, place, value, width, data, ref]);
  const abroad = result.rows.filter((row) => !String(row[place.key]).startsWith("US-")).length;
  return (
    <>
      {!data && <Loading what="the map" />}
      <div className="plot" ref={ref} role="figure" aria-label={`${value.label} by state`} />
      <small>The rows of a state are added up.{abroad > 0 && ` ${abroad} rows are of places that are not on the map.`}</small>
    </>
  );
}
