import { dayOf } from "../calendar-day.ts";
import { escaped } from "../escaped-html.ts";
import { claimOf, countStates, type SiteCriterion, type SiteCriterionState } from "./judge-site.ts";
import type { KnownProblem } from "./known-problems.ts";

/** What the statement needs that no report says. */
export type StatementDetails = {
  /** Whose site it is. */
  operator: string | null;
  /** Where people write when something does not work: an address of mail, or of a form. */
  contact: string | null;
  /** Days until they get an answer. */
  answer_within_days: number | null;
};

/** All that a statement is written of. */
export type Statement = StatementDetails & {
  site: { name: string; url: string };
  /** Such as WCAG 2.2, level AA. */
  standard: string;
  /**
   * When the report was that it follows; how many of the pages that it knows were checked, null if it has no result of the whole site.
   */
  tested: { at: Date; pages: { checked: number; known: number } | null };
  criteria: readonly SiteCriterion[];
  problems: readonly KnownProblem[];
  now: Date;
};

/** Reports that are older do not show what the site is. */
const MAX_AGE_DAYS = 30;
const DAY = 86_400_000;

/** What a statement lacks before it can be published; in the order in which it is asked for. */
export function missingOf(statement: Statement): string[] {
  const { criteria, problems, contact, operator, answer_within_days, tested, now } = statement;
  const counts = countStates(criteria);
  const open = counts.needs_person + counts.nothing_found;
  const undated = problems.filter(({ due_on, state }) => due_on === null && state !== "done").length;
  const late = problems.filter(({ state }) => state === "late").length;
  const unchecked = tested.pages ? tested.pages.known - tested.pages.checked : 0;
  const age = Math.floor((now.getTime() - tested.at.getTime()) / DAY);
  return [
    ...(open > 0 ? [`${open} of ${criteria.length} criteria have no answer of a person.`] : []),
    ...(undated > 0 ? [`${undated} of ${problems.length} known problems have no day by which they are mended.`] : []),
    ...(late > 0 ? [`The day of ${late} known ${late === 1 ? "problem" : "problems"} is over.`] : []),
    ...(tested.pages === null ? ["There is no result of the whole site yet."] : []),
    ...(unchecked > 0 ? [`${unchecked} ${unchecked === 1 ? "page was" : "pages were"} not checked.`] : []),
    ...(operator === null ? ["It does not say whose site it is."] : []),
    ...(contact === null ? ["There is nobody to write to."] : []),
    ...(answer_within_days === null ? ["It does not say within how many days people get an answer."] : []),
    ...(age > MAX_AGE_DAYS ? [`The newest report of the whole site is ${age} days old.`] : []),
  ];
}

/** The sentence that says how accessible the site is. */
export function claimText({ criteria, standard }: Pick<Statement, "criteria" | "standard">): string {
  const { failed_by_machine, failed, passed, not_present, nothing_found, needs_person } = countStates(criteria);
  const fails = failed_by_machine + failed;
  if (claimOf(criteria) === "conforms")
    return `The site conforms to ${standard}: all ${criteria.length} criteria are met, or concern nothing that it has.`;
  const left = nothing_found + needs_person;
  const others =
    left === 0
      ? ""
      : ` Of the other ${left}, ${nothing_found} were checked by machine only, without a failure, and ${needs_person} are not looked at yet.`;
  return `The site partly conforms to ${standard}: of ${criteria.length} criteria ${fails} ${fails === 1 ? "is" : "are"} not met in every place, ${passed} ${passed === 1 ? "is" : "are"} met, ${not_present} concern nothing that the site has.${others}`;
}

/** How a product supports a criterion, in the terms of VPAT. */
export const conformanceLevels: Readonly<Record<SiteCriterionState, string>> = {
  failed_by_machine: "Partially supports",
  failed: "Partially supports",
  passed: "Supports",
  not_present: "Not applicable",
  nothing_found: "Not evaluated",
  needs_person: "Not evaluated",
};

/** What stands beside a criterion: the evidence of a person, or what a program found. */
export function remarkOf({ state, answer, errors }: SiteCriterion): string {
  const said = answer?.holds ? (answer.evidence ?? "") : "";
  if (state === "failed_by_machine")
    return [`${errors} ${errors === 1 ? "error" : "errors"} found by machine.`, said].filter(Boolean).join(" ");
  return state === "nothing_found" ? "Checked by machine only, without a failure." : said;
}

/** Who has looked at the site, and when the first and the last time. */
function witnesses(criteria: readonly SiteCriterion[]): { names: string[]; from: string; to: string } | undefined {
  const answers = criteria.flatMap(({ answer }) => (answer?.holds ? [answer] : []));
  if (answers.length === 0) return undefined;
  const days = answers.map(({ answered_at }) => dayOf(answered_at)).toSorted();
  return {
    names: [...new Set(answers.map((one) => one.answered_by))].toSorted(),
    from: days[0] ?? "",
    to: days.at(-1) ?? "",
  };
}

/** The statement as a page of HTML without styles, for the site's own. Marked text has to be filled in. */
export function statementHtml(statement: Statement): string {
  const { site, operator, contact, answer_within_days: days, problems, tested, now } = statement;
  const fill = (value: string | number | null, what: string) =>
    value === null ? `<mark>${what}</mark>` : escaped(String(value));
  const seen = witnesses(statement.criteria);
  const rows = problems.map(
    ({ title, criteria, due_on, state }) =>
      `<tr><td>${escaped(title)}</td><td>${criteria.map(escaped).join(", ")}</td><td>${state === "done" ? "said to be done" : (due_on ?? "no date yet")}</td></tr>`,
  );
  const people = seen
    ? ` Between ${seen.from} and ${seen.to}, ${escaped(seen.names.join(" and "))} looked at pages.`
    : "";
  return page(`Accessibility of ${site.name}`, [
    ...(missingOf(statement).length > 0 ? [`<p><strong>Draft of ${dayOf(now)}</strong></p>`] : []),
    `<p>This is the accessibility statement of <a href="${escaped(site.url)}">${escaped(site.url)}</a>, by ${fill(operator, "name of the operator")}.</p>`,
    "<h2>How accessible it is</h2>",
    `<p>${escaped(claimText(statement))}</p>`,
    "<h2>What does not work yet</h2>",
    rows.length === 0
      ? "<p>Nothing that is known.</p>"
      : `<table><caption>Known problems</caption><thead><tr><th scope="col">Problem</th><th scope="col">Criteria of WCAG</th><th scope="col">Mended by</th></tr></thead><tbody>${rows.join("")}</tbody></table>`,
    "<h2>How it was tested</h2>",
    `<p>${tested.pages ? `On ${dayOf(tested.at)}, ${tested.pages.checked} of ${tested.pages.known} pages were checked by machine.` : "The whole site was not checked by machine yet."}${people}</p>`,
    "<h2>If something does not work for you</h2>",
    `<p>Write to ${fill(contact, "address of the person in charge")}. You get an answer within ${fill(days, "number of")} days.</p>`,
    `<p>Made on ${dayOf(now)}.</p>`,
  ]);
}

/** The criteria as a table to print, with the terms of a VPAT. */
export function vpatHtml(statement: Statement): string {
  const { site, criteria, standard, now } = statement;
  const tables = (["A", "AA", "AAA"] as const).flatMap((level) => {
    const rows = criteria.filter((one) => one.level === level);
    if (rows.length === 0) return [];
    const cells = rows.map(
      (one) =>
        `<tr><th scope="row">${one.number} ${escaped(one.title)}</th><td>${conformanceLevels[one.state]}</td><td>${escaped(remarkOf(one))}</td></tr>`,
    );
    return [
      `<h2>Level ${level}</h2>`,
      `<table><caption>Success criteria of level ${level}</caption><thead><tr><th scope="col">Criterion</th><th scope="col">Conformance level</th><th scope="col">Remarks</th></tr></thead><tbody>${cells.join("")}</tbody></table>`,
    ];
  });
  return page(`${site.name}: accessibility conformance report`, [
    `<p>${escaped(standard)}. <a href="${escaped(site.url)}">${escaped(site.url)}</a>, ${dayOf(now)}.</p>`,
    `<p>${escaped(claimText(statement))}</p>`,
    ...tables,
  ]);
}

function page(title: string, body: readonly string[]): string {
  const head = `<meta charset="utf-8">\n<title>${escaped(title)}</title>\n<meta name="viewport" content="width=device-width, initial-scale=1">`;
  return `<!DOCTYPE html>\n<html lang="en">\n<head>\n${head}\n</head>\n<body>\n<main>\n<h1>${escaped(title)}</h1>\n${body.join("\n")}\n</main>\n</body>\n</html>\n`;
}
