import type { Tab } from "../../../browser/tab.ts";
import { causeOf } from "../../../domain/causes/cause.ts";
import { changeOf } from "../../../domain/causes/changes.ts";
import { styleWithContrast } from "../../../domain/causes/mend.ts";
import { type A11yElement, type A11yIssue, countOf } from "../../../domain/findings/findings.ts";
import { isOutside } from "../../../domain/findings/outside-standard.ts";
import type { ReportStandard } from "../../../schema/standards.ts";
import { withinUsed } from "../../../time/clock-limit.ts";
import { type Repair, repairElements } from "./repair-in-page.ts";

/** Further elements are not tried. */
const MAX_REPAIRS = 1_000;
/** They may take this long, and as long as the page took until then: on a large page, or a busy machine, all takes longer. */
const LIMIT_MS = 3_000;
/** What a change of attributes could break. */
const GUARDS = ["aria-allowed-attr", "aria-prohibited-attr", "aria-valid-attr-value"];

/**
 * Mends the errors of a page in the page that is loaded, and sets `repaired` where they are gone. It is the last that is
 * done with the page: nothing of it runs or is requested any more, and what was changed goes with it.
 *
 * @param leftMs what is left of the page's time, of which the half is for this
 */
export async function tryRepairs(
  tab: Tab,
  issues: readonly A11yIssue[],
  standard: ReportStandard,
  leftMs: number,
): Promise<void> {
  const tried: { repair: Repair; element: A11yElement }[] = [];
  for (const issue of issues) {
    if (issue.issue_type !== "error" || isOutside(issue.tags, standard)) continue;
    const ofIssue = issue.html.flatMap((element) => {
      const repair = repairOf(issue, element);
      return repair ? [{ repair, element }] : [];
    });
    const some = ofIssue.slice(0, MAX_REPAIRS - tried.length);
    const isPartial = some.length < countOf(issue);
    tried.push(...some.map(({ repair, element }) => ({ repair: { ...repair, isPartial }, element })));
  }
  if (tried.length === 0) return;
  const repair = async () => {
    await tab.silence();
    const world = await tab.createWorld(tab.mainFrameId);
    return tab.call(
      world,
      repairElements,
      tried.map((one) => one.repair),
      GUARDS,
    );
  };
  const usedMs = () => tab.usedMs();
  const limitMs = Math.min(Math.max(LIMIT_MS, usedMs()), leftMs / 2);
  const gone: unknown = await withinUsed(limitMs, usedMs, repair(), []).catch(() => []);
  if (!Array.isArray(gone)) return;
  for (const [index, { element }] of tried.entries()) if (gone[index] === true) element.repaired = true;
}

/** @returns undefined for what is not tried: it is in a frame, or nobody but a person knows what is right */
function repairOf(issue: A11yIssue, element: A11yElement): Repair | undefined {
  const { target } = element;
  if (target.includes(" >>> ")) return undefined;
  const rule = issue.rule ?? "";
  const { name, change } = changeOf("a11y", rule);
  const { fix } = change;
  const selector = element.element?.selector ?? null;
  const repair = (edit: Repair["edit"]): Repair => ({
    ...{ rule, target, ofDocument: change.of === "document", isPartial: false, edit },
  });
  if (!fix) return undefined;
  // The text alternative of the picture in it, which has an error of its own, names it.
  const cause = causeOf({ kind: "a11y", rule, message: issue.message, selector, element });
  if (cause.change !== name) return repair(null);
  if (fix.kind === "attributes")
    return repair({ kind: "attributes", set: { ...fix.set }, by: { ...fix.by }, on: fix.on ?? "element" });
  if (fix.kind === "unique") return repair({ kind: "unique", attribute: fix.attribute });
  if (fix.kind === "id" || fix.kind === "main" || fix.kind === "first_heading" || fix.kind === "description")
    return repair({ kind: fix.kind });
  const style = fix.kind === "colour" ? styleWithContrast(element.contrast) : undefined;
  return style && repair({ kind: "style", property: style.property, value: style.after });
}
