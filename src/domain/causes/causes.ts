import { type Impact, impactOf } from "../findings/findings.ts";
import { MIN_TEMPLATE_PAGES, type Role, roleOf } from "../findings/role.ts";

/** The errors of a report with one cause, as they are counted. */
export type CountedCause = {
  /** Of `causeOf`. */
  id: string;
  /** The one with the worst impact, which stands for all of them. */
  finding_id: string;
  how_many: number;
  /** How many of them were gone in repaired copies of their pages. */
  verified: number;
  num_pages: number;
  /** The same element of several pages counts on each. */
  num_elements: number;
  /** The section that all of its pages are in, such as /docs/; null for several. */
  section: string | null;
  /** On how many pages the element is that is on most. */
  most_pages: number;
  /** Kinds and rules: `a11y image-alt`. */
  rules: string[];
  impact_order: number | null;
};

/** How it is known what a cause removes: all of it was tried on copies of pages, some of it, or nothing. */
export const knownBy = ["verified", "estimated", "not_verified"] as const;
export type KnownBy = (typeof knownBy)[number];

/** One change in one place of source, and what it removes. Each error belongs to one cause. */
export type ReportCause = Omit<CountedCause, "most_pages" | "num_elements" | "impact_order"> & {
  /** From 1; the same in every list. */
  number: number;
  impact: Impact | null;
  /** Of the place that is changed. */
  role: Role;
  known_by: KnownBy;
  /** Places in source that have to be changed. */
  num_places: number;
};

/** So many come first on a report. */
export const FIX_FIRST = 5;

/** So many are kept of a report; those that remove least are only counted. */
export const MAX_CAUSES = 2_000;

/** The causes of a report, those that remove most first. */
export type ReportCauses = {
  causes: ReportCause[];
  /** Those beyond `MAX_CAUSES`. */
  left_out: { causes: number; how_many: number };
};

/** @param place of `causeOf` */
export function causeOfReport(counted: CountedCause, place: string): Omit<ReportCause, "number"> {
  const { most_pages, num_elements, impact_order, ...cause } = counted;
  const role = roleOfCause(counted, place);
  return {
    ...cause,
    ...{ impact: impactOf(impact_order), role, known_by: knownOf(counted) },
    num_places: role === "content" ? num_elements : 1,
  };
}

/**
 * The role of the place that is changed: elements that differ from page to page are made by a template if something
 * gives them a class, or a place beside one.
 */
function roleOfCause({ rules, num_pages, most_pages }: CountedCause, place: string): Role {
  const isOfTemplate = most_pages >= MIN_TEMPLATE_PAGES || place === "" || /[.#]/.test(place);
  const [kind, rule = ""] = (rules[0] ?? "").split(" ");
  const numPages = isOfTemplate || kind === "links" ? num_pages : Math.min(num_pages, MIN_TEMPLATE_PAGES - 1);
  return roleOf({ rule, numPages });
}

function knownOf({ how_many, verified }: CountedCause): KnownBy {
  if (verified === 0) return "not_verified";
  return verified < how_many ? "estimated" : "verified";
}

/**
 * The order of causes wherever they are listed: by what they remove, verified ones before others, then by pages and id.
 */
export function inOrder<Listed extends Omit<ReportCause, "number">>(
  causes: readonly Listed[],
): (Listed & { number: number })[] {
  return causes
    .toSorted(
      (a, b) =>
        b.how_many - a.how_many ||
        knownBy.indexOf(a.known_by) - knownBy.indexOf(b.known_by) ||
        b.num_pages - a.num_pages ||
        (a.id < b.id ? -1 : 1),
    )
    .map((cause, index) => ({ ...cause, number: index + 1 }));
}

/** Errors that causes remove together, and for how many of them that is known in which way: the others are not verified. */
export type SumOfCauses = { how_many: number; verified: number; estimated: number };

/** Each error has one cause, so sums count none twice. */
export function sumOf(causes: readonly Pick<ReportCause, "how_many" | "verified" | "known_by">[]): SumOfCauses {
  const sum = (errors: (cause: (typeof causes)[number]) => number) => causes.reduce((all, one) => all + errors(one), 0);
  return {
    how_many: sum(({ how_many }) => how_many),
    verified: sum(({ verified }) => verified),
    estimated: sum(({ how_many, verified, known_by }) => (known_by === "estimated" ? how_many - verified : 0)),
  };
}
