import { causeOf } from "../causes/cause.ts";
import type { CauseAt } from "../causes/cause-at.ts";
import { faultOf } from "../findings/fault.ts";
import { type CheckKind, countOf, type Issue, type IssueElement } from "../findings/findings.ts";
import { markupOf } from "../findings/markup.ts";
import type { ElementKey } from "./element-key.ts";
import { componentKey, fingerprint } from "./fingerprint.ts";

/** One fault on one page: the indistinguishable elements of an issue that also have the same selector. */
export type Finding = {
  rule: string;
  fingerprint: string;
  component: string;
  /** What it shares with findings of other kinds about the same thing (findings/fault.ts); null for its fingerprint. */
  fault: string | null;
  /** What is changed once to mend it and others (causes/cause.ts). */
  cause: string;
  /** null for a fault of the document as a whole, and for elements that are only counted. */
  element: ElementKey | null;
  /** How many elements there are. */
  howMany: number;
  /** How many of them were without the fault in a repaired copy of the page (causes/changes.ts). */
  repaired: number;
  /** How many of them only follow from another finding of the page, and so are no fault. */
  consequences: number;
};

export type Identified = { issue: Issue; findings: Finding[] };

/**
 * Gives each element of an issue its fingerprint.
 *
 * @param page `pageKey` of the page
 * @param causeAt the causes of findings that others follow from
 */
export function identifyIssue(
  kind: CheckKind,
  issue: Issue,
  page: string,
  causeAt: CauseAt = () => undefined,
): Identified {
  const rule = issue.rule ?? "";
  const { message } = issue;
  const found = new Map<string, Finding>();
  const add = (element: ElementKey | null, howMany: number, markup: Markup | null, from?: Listed): string => {
    const repaired = from?.repaired ? 1 : 0;
    const consequences = from?.caused_by ? 1 : 0;
    const print = fingerprint({ kind, rule, page, element });
    const selector = element?.selector ?? null;
    // A muting may distinguish elements with the same fingerprint by their places.
    const key = `${print} ${selector ?? ""}`;
    const known = found.get(key);
    if (known) {
      known.howMany += howMany;
      known.repaired += repaired;
      known.consequences += consequences;
    } else
      found.set(key, {
        ...{ rule, fingerprint: print, component: componentKey({ kind, rule, element }) },
        ...{ fault: faultOf({ kind, rule, page, element }), element, howMany, repaired, consequences },
        cause:
          (from?.caused_by && causeAt(from.caused_by)) ??
          causeOf({ kind, rule, message, selector, element: markup }).key,
      });
    return print;
  };
  const html = issue.html.map(({ element = null, repaired = false, ...rest }) => ({
    ...rest,
    fingerprint: add(...([element, 1, { extract: markupOf(rest), contrast: rest.contrast ?? null }] as const), {
      repaired,
      caused_by: rest.caused_by,
    }),
    ...(element?.selector !== undefined && { selector: element.selector }),
  }));
  const notListed = countOf(issue) - html.length;
  if (notListed > 0) add(null, notListed, null);
  return { issue: { ...issue, html }, findings: [...found.values()] };
}

type Listed = Pick<IssueElement, "repaired" | "caused_by">;
type Markup = Parameters<typeof causeOf>[0]["element"];
