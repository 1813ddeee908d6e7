import { expect } from "chai";
import { parse } from "yaml";
import { earlOf } from "../../../src/domain/conformance/earl.ts";
import { type CriterionAnswer, claimOf, countStates, judgeSite } from "../../../src/domain/conformance/judge-site.ts";
import { type CauseOfProblem, knownProblems } from "../../../src/domain/conformance/known-problems.ts";
import { openAcrOf } from "../../../src/domain/conformance/openacr.ts";
import {
  claimText,
  missingOf,
  type Statement,
  statementHtml,
  vpatHtml,
} from "../../../src/domain/conformance/statement.ts";
import { judgeCriteria } from "../../../src/domain/findings/judged-criteria.ts";

const NOW = new Date("2026-11-26T12:00:00Z");
const spec = { standard: "wcag22aa", a11yDepth: "static", storeIncompleteChecks: false } as const;
const judged = judgeCriteria(spec, ["a11y", "html"], [{ number: "1.1.1", errors: 52, warnings: 3 }]);
const answer = (outcome: CriterionAnswer["outcome"], given: Partial<CriterionAnswer> = {}): CriterionAnswer => ({
  ...{
    outcome,
    evidence: "Seen on 12 pages",
    answered_by: "Web team",
    answered_at: NOW,
    due_on: null,
    pages: [],
    ...given,
  },
});
const statementOf = (answers: Record<string, CriterionAnswer>, given: Partial<Statement> = {}): Statement => ({
  ...{ site: { name: "Market hall <shop>", url: "https://shop.example.org/" }, standard: "WCAG 2.2, levels A and AA" },
  ...{ operator: null, contact: null, answer_within_days: null },
  tested: { at: NOW, pages: { checked: 42, known: 46 } },
  criteria: judgeSite(judged, new Map(Object.entries(answers)), NOW),
  ...{
    problems: [{ title: "A logo has no text", criteria: ["1.1.1 Non-text Content"], due_on: null, state: "nobody" }],
    now: NOW,
  },
  ...given,
});

describe("what is known of a site's criteria", () => {
  it("is in one state for each, which together are all 55 of WCAG 2.2 AA", () => {
    const counts = countStates(statementOf({ "2.4.3": answer("failed"), "1.4.5": answer("not_present") }).criteria);
    expect(Object.values(counts).reduce((sum, one) => sum + one)).to.equal(55);
    expect(counts).to.include({ failed_by_machine: 1, failed: 1, not_present: 1 });
  });

  it("is failed where a program found errors, whatever a person says", () => {
    const [first] = statementOf({ "1.1.1": answer("passed") }).criteria;
    expect(first).to.deep.include({ number: "1.1.1", state: "failed_by_machine" });
    expect(first?.answer?.outcome).to.equal("passed");
  });

  it("is met only when a person says so, and for 365 days", () => {
    const stateOf = (answers: Record<string, CriterionAnswer>) =>
      statementOf(answers).criteria.find(({ number }) => number === "1.4.3")?.state;
    expect(stateOf({})).to.equal("nothing_found");
    expect(stateOf({ "1.4.3": answer("passed") })).to.equal("passed");
    expect(stateOf({ "1.4.3": answer("passed", { answered_at: new Date("2025-11-25T12:00:00Z") }) })).to.equal(
      "nothing_found",
    );
  });

  it("is conformance only if each is met or not present", () => {
    const clean = judgeCriteria(spec, ["a11y"], []);
    const all = (outcome: CriterionAnswer["outcome"]) => new Map(clean.map(({ number }) => [number, answer(outcome)]));
    expect(claimOf(judgeSite(clean, all("passed"), NOW))).to.equal("conforms");
    expect(claimOf(judgeSite(clean, new Map([...all("passed"), ["2.1.1", answer("failed")]]), NOW))).to.equal("partly");
    expect(claimOf(judgeSite(clean, new Map(), NOW))).to.equal("partly");
  });
});

describe("what does not work yet", () => {
  const cause = (title: string, criteria: string[], given: Partial<CauseOfProblem> = {}): CauseOfProblem => ({
    ...{ title, criteria: new Set(criteria), due_on: null, state: "nobody", ...given },
  });
  const problems = (answers: Record<string, CriterionAnswer>, causes: CauseOfProblem[]) =>
    knownProblems(causes, statementOf(answers).criteria, NOW);

  it("is each cause about a criterion that is asked for, with all of its criteria", () => {
    const found = problems({}, [cause("A logo", ["4.1.2", "1.1.1"]), cause("A tag", []), cause("AAA", ["1.2.6"])]);
    expect(found.map(({ title, criteria }) => [title, criteria])).to.deep.equal([
      ["A logo", ["1.1.1 Non-text Content", "4.1.2 Name, Role, Value"]],
    ]);
  });

  it("names each criterion that fails, also without a cause", () => {
    expect(problems({}, []).map(({ title }) => title)).to.deep.equal(["Non-text Content: 52 errors"]);
    expect(problems({}, [cause("A logo", ["1.1.1"])])).to.have.length(1);
  });

  it("is what a person has seen, late once its day is over", () => {
    const stateOf = (due_on: string | null) =>
      problems({ "2.4.3": answer("failed", { due_on }) }, []).find(({ title }) => title === "Seen on 12 pages")?.state;
    expect([stateOf(null), stateOf("2026-11-26"), stateOf("2026-11-25")]).to.deep.equal(["nobody", "taken", "late"]);
  });

  it("is not missing a day once it is said to be done", () => {
    const done = problems({}, [cause("A logo", ["1.1.1"], { state: "done" })]);
    const late = problems({}, [cause("A logo", ["1.1.1"], { state: "late", due_on: "2026-01-01" })]);
    expect(missingOf(statementOf({}, { problems: done })).join(" ")).not.to.include("known problem");
    expect(missingOf(statementOf({}, { problems: late }))).to.include("The day of 1 known problem is over.");
  });
});

describe("the statement of a site", () => {
  it("says how many criteria are in which state", () => {
    expect(claimText(statementOf({ "2.4.3": answer("failed"), "2.4.2": answer("passed") }))).to.equal(
      "The site partly conforms to WCAG 2.2, levels A and AA: of 55 criteria 2 are not met in every place, 1 is met, 0 concern nothing that the site has. Of the other 52, 19 were checked by machine only, without a failure, and 33 are not looked at yet.",
    );
  });

  it("names what is missing before it can be published", () => {
    const tested = { at: new Date("2026-10-01"), pages: { checked: 42, known: 46 } };
    expect(missingOf(statementOf({}, { tested }))).to.deep.equal([
      "54 of 55 criteria have no answer of a person.",
      "1 of 1 known problems have no day by which they are mended.",
      "4 pages were not checked.",
      "It does not say whose site it is.",
      "There is nobody to write to.",
      "It does not say within how many days people get an answer.",
      "The newest report of the whole site is 56 days old.",
    ]);
  });

  it("says so where there is no result of the whole site, and no number of pages", () => {
    const statement = statementOf({}, { tested: { at: NOW, pages: null } });
    expect(missingOf(statement)).to.include("There is no result of the whole site yet.");
    expect(statementHtml(statement)).to.include("not checked by machine yet").and.not.include("0 of 0");
  });

  it("is ready when all is answered and mended, and marks nothing then", () => {
    const clean = judgeCriteria(spec, ["a11y"], []);
    const all = new Map(clean.map(({ number }) => [number, answer("passed")]));
    const details = { operator: "Market hall", contact: "access@shop.example", answer_within_days: 14 };
    const ready = statementOf({}, { ...details, tested: { at: NOW, pages: { checked: 46, known: 46 } }, problems: [] });
    const statement = { ...ready, criteria: judgeSite(clean, all, NOW) };
    expect(missingOf(statement)).to.deep.equal([]);
    expect(statementHtml(statement)).not.to.include("<mark>").and.not.include("Draft");
    expect(missingOf({ ...statement, answer_within_days: null })).to.have.length(1);
  });

  it("is a page that shows names and evidence as text", () => {
    const statement = statementOf({ "2.4.3": answer("failed", { evidence: '<script>alert("x")</script>' }) });
    for (const written of [statementHtml(statement), vpatHtml(statement)]) {
      expect(written).to.include("Market hall &lt;shop&gt;").and.not.include("<script>");
    }
  });

  it("is EARL with one result for each criterion, of a person or of the program", () => {
    const { "@graph": graph } = earlOf(statementOf({ "1.4.11": answer("failed") })) as {
      "@graph": Record<string, never>[];
    };
    const assertions = graph.filter((one) => one["@type"] === "earl:Assertion") as Record<
      string,
      Record<string, string>
    >[];
    expect(assertions).to.have.length(55);
    const found = assertions.find((one) => one["earl:test"]?.["@id"] === "WCAG22:non-text-contrast");
    expect(found?.["earl:mode"]).to.deep.equal({ "@id": "earl:manual" });
    const outcomes = Map.groupBy(
      assertions,
      (one) => (one["earl:result"] as unknown as Record<string, Record<string, string>>)["earl:outcome"]?.["@id"],
    );
    expect([...outcomes.keys()]).to.have.members(["earl:failed", "earl:cantTell", "earl:untested"]);
  });

  it("is OpenACR with the terms of VPAT, in chapters by level", () => {
    const report = parse(
      openAcrOf(statementOf({ "1.4.11": answer("not_present") }, { contact: "a11y@shop.example.org" })),
    );
    expect(report).to.deep.include({
      catalog: "2.5-edition-wcag-2.2-en",
      author: { email: "a11y@shop.example.org", website: "https://shop.example.org/" },
    });
    const { success_criteria_level_a: a, success_criteria_level_aa: aa } = report.chapters;
    expect(a.criteria.length + aa.criteria.length).to.equal(55);
    expect(aa.criteria.find(({ num }: { num: string }) => num === "1.4.11").components[0].adherence.level).to.equal(
      "not-applicable",
    );
    expect(a.criteria[0]).to.deep.include({ num: "1.1.1" });
    expect(a.criteria[0].components[0].adherence.level).to.equal("partially-supports");
  });
});
