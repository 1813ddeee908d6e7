import type { Resource } from "../../api/documents.ts";
import { manifestOf } from "../../checks/kinds.ts";
import type { Box } from "../../domain/findings/box.ts";

/** An element of a page with what is wrong about it: the findings of all kinds of checks about the same thing. */
export type Fault = {
  /** Its number on the page, from 1. */
  number: number;
  /** What says the most comes first. */
  findings: readonly [Resource<"finding">, ...Resource<"finding">[]];
  /** The classes of its number: round for kinds that look at the rendered page, square for others, half of each for both. */
  shape: "a" | "h" | "ah";
};

/** @param findings of one page, the worst first: a fault has the place of its first finding */
export function faultsOf(findings: readonly Resource<"finding">[]): Fault[] {
  const byFault = Map.groupBy(findings, ({ attributes }) => attributes.fault);
  return [...byFault.values()].map((group, index) => {
    const ofFault = group as [Resource<"finding">, ...Resource<"finding">[]];
    return { number: index + 1, findings: ofFault, shape: shapeOf(ofFault) };
  });
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
