import type { Look } from "./draw";
import type { Mark } from "./paint";

const ends: Record<Look["color"], [string, string]> = {
  level: ["lowest level", "highest"],
  payStatus: ["active", "not active"],
  licences: ["none in force", "many"],
  downline: ["few below", "many"],
};
const markNames: Record<Mark, string> = { joined: "joined", left: "left", moved: "moved", level: "changed level", basket: "in the basket" };

/** What the colours of the cards and of their borders say. */
export function Legend({ look }: { look: Look }) {
  const { palette } = look;
  const scale = look.color === "payStatus" ? [palette.good, palette.bad] : look.color === "licences" ? [palette.bad, ...palette.ramp.slice(1)] : palette.ramp;
  const marks = [...new Set(look.marks.values())];
  return (
    <div className="legend">
      <span>{ends[look.color][0]}</span>
      {scale.map((color) => (
        <i key={color} style={{ background: color }} />
      ))}
      <span>{ends[look.color][1]}</span>
      {marks.map((mark) => (
        <span key={mark} className="mark" style={{ borderColor: palette.marks[mark] }}>
          {markNames[mark]}
        </span>
      ))}
    </div>
  );
}
