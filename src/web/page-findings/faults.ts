import type { Resource } from "../../api/documents.ts";
import { manifestOf } from "../../checks/kinds.ts";
import type { Box } from "../../domain/findings/box.ts";

/** An element of a page with what is wrong about it: the findings of all kinds of checks about the same thing. */
export type Fault = {
  /** Its number on the page, from 1. */
  number: number;
  /** What says the most comes first. */
  findings: readonly [Resource<"finding">, ...Resource<"finding">[]];
  /** What only follows from it. */
  consequences: readonly Resource<"finding">[];
  /** The classes of its number: round for kinds that look at the rendered page, square for others, half of each for both. */
  shape: "a" | "h" | "ah";
};

/**
 * @param findings of one page that follow from no other, the worst first: a fault has the place of its first finding
 * @param consequences findings of the page that follow from others; those of others than these are left out
 */
export function faultsOf(
  findings: readonly Resource<"finding">[],
  consequences: readonly Resource<"finding">[] = [],
): Fault[] {
  const byFault = Map.groupBy(findings, ({ attributes }) => attributes.fault);
  const groups = [...byFault.values()] as [Resource<"finding">, ...Resource<"finding">[]][];
  const ofGroup = Map.groupBy(consequences, (one) => groups.find((group) => group.some((from) => isFrom(one, from))));
  return groups.map((group, index) => ({
    ...{ number: index + 1, findings: group, shape: shapeOf(group) },
    consequences: ofGroup.get(group) ?? [],
  }));
}

/** Consequences of none of these findings, as of muted ones: without what they follow from they are shown by themselves. */
export function orphansOf(
  findings: readonly Resource<"finding">[],
  consequences: readonly Resource<"finding">[],
): Resource<"finding">[] {
  return consequences.filter((one) => !findings.some((from) => isFrom(one, from)));
}

/** A finding shows one of its elements: of the others it is known that they have its cause. */
function isFrom({ attributes: one }: Resource<"finding">, { attributes: from }: Resource<"finding">): boolean {
  const place = one.element?.caused_by;
  return place?.rule === from.rule && one.cause === from.cause;
}

function shapeOf(findings: Fault["findings"]): Fault["shape"] {
  const rendered = findings.map(({ attributes: { kind } }) => manifestOf(kind).hasImpact);
  if (rendered.every(Boolean)) return "a";
  return rendered.some(Boolean) ? "ah" : "h";
}

/** Where the fault is in the picture of the page, if one of its findings says. */
export function boxOfFault({ findings }: Fault): Box | undefined {
  return findings.map(({ attributes: { element } }) => element?.box ?? undefined).find((box) => box !== undefined);
}

/** What one of the findings has: its kind may be the only one that says it. */
export function firstOf<Value>(
  { findings }: Fault,
  read: (attributes: Resource<"finding">["attributes"]) => Value | null | undefined,
): Value | undefined {
  for (const { attributes } of findings) {
    const value = read(attributes);
    if (value !== null && value !== undefined) return value;
  }
  return undefined;
}
