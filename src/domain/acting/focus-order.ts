import { short } from "./care/seen.ts";
import type { ActingRuleName } from "./rules.ts";

/** A stop of the focus, in the order of the walk. */
export type SeenStop = {
  id: number;
  tag: string;
  text: string;
  /** Where it is in the document: left, top, right and bottom, in CSS pixels. */
  box: readonly [left: number, top: number, right: number, bottom: number];
  /** It stays in its place in the window. */
  stays: boolean;
  /** A style may have moved it away from its place in the source. */
  isReordered: boolean;
  tabindex: number;
  /** It is no control by itself, has no role, and nothing in it is scrolled. */
  isPlain: boolean;
};

type OrderFault = { rule: ActingRuleName; id: number; review: true; summary: string };

/** So far up is no step within a line, or to a taller neighbour. */
const MIN_JUMP = 24;
/** So many jumps, or one so far, are more than a part that stands aside. */
const MIN_JUMPS = 2;
const FAR = 300;

/** @param clickable the elements whose clicks a script listens to */
export function judgeOrder(stops: readonly SeenStop[], clickable: ReadonlySet<number>): OrderFault[] {
  return [...jumps(stops), ...numbered(stops), ...plain(stops, clickable)];
}

/** Back up in the same column, where a style or a number has led away from the order of the source. */
function jumps(stops: readonly SeenStop[]): OrderFault[] {
  const found = stops.flatMap((stop, at) => {
    const before = stops[at - 1];
    if (!before || stop.stays || before.stays || !(stop.isReordered && before.isReordered)) return [];
    const across = Math.min(stop.box[2], before.box[2]) - Math.max(stop.box[0], before.box[0]);
    const isSameColumn = across * 2 > Math.min(stop.box[2] - stop.box[0], before.box[2] - before.box[0]);
    const up = before.box[1] - stop.box[3];
    return isSameColumn && before.box[1] - stop.box[1] > MIN_JUMP && up > -4 ? [{ stop, before, up }] : [];
  });
  const [first] = found;
  if (!first || (found.length < MIN_JUMPS && first.up < FAR)) return [];
  const more = found.length > 1 ? ` So it is ${found.length - 1} more times.` : "";
  const summary = `The focus goes from "${short(first.before.text)}" up to "${short(first.stop.text)}", which stands above it.${more}`;
  return [{ rule: "sv-focus-order", id: first.stop.id, review: true, summary }];
}

function numbered(stops: readonly SeenStop[]): OrderFault[] {
  const positive = stops.filter(({ tabindex }) => tabindex > 0);
  const [first] = positive;
  if (!first || positive.length === stops.length) return [];
  const others = positive.length > 1 ? `${positive.length} elements have` : "This element has";
  const summary = `${others} a tabindex above 0 ("${short(first.text)}" ${first.tabindex}), so that the focus comes to them before all others of the page.`;
  return [{ rule: "sv-focus-order", id: first.id, review: true, summary }];
}

/** What takes the focus, and is no control: it does nothing, or does not say what it is. */
function plain(stops: readonly SeenStop[], clickable: ReadonlySet<number>): OrderFault[] {
  return stops.flatMap((stop): OrderFault[] => {
    if (!stop.isPlain || stop.text === "") return [];
    const { id, tag, text } = stop;
    if (clickable.has(id))
      return [
        {
          ...{ rule: "sv-button-state", id, review: true },
          summary: `A click on "${short(text)}" does something, Tab comes to it, and this <${tag}> has no role that says what it is.`,
        },
      ];
    const summary = `The focus stops at "${short(text)}", and this <${tag}> is no control, has no role, and does nothing by a click.`;
    return [{ rule: "sv-focus-order", id, review: true, summary }];
  });
}
