import type { SiteCriterionState } from "../../../domain/conformance/judge-site.ts";
import { counted, formatNumber } from "./numbers.ts";

const states: Readonly<Record<SiteCriterionState, string>> = {
  failed_by_machine: "failed by machine",
  failed: "failed",
  passed: "passed",
  not_present: "not present",
  nothing_found: "nothing found by machine",
  needs_person: "needs a person",
};

export const conformanceTexts = {
  siteTabs: {
    label: "Parts of the site",
    runs: "Runs",
    questions: "Questions",
    criteria: "Criteria",
    statement: "Statement",
  },
  questions: {
    title: "Questions",
    left: (findings: number, questions: number) =>
      findings === 0
        ? "Nothing is asked."
        : `${counted(findings, "finding")} ${findings === 1 ? "is" : "are"} left, in ${counted(questions, "question")}.`,
    means:
      "What a machine cannot decide, it asks, once for all places that are alike: those that settle most first, 50 at a time. An answer holds for later runs, until the element changes.",
    none: "The newest report of this site has no review that nobody has answered. Reviews are kept by reports that ask for them.",
    open: "Open",
    answered: "Answered",
    columns: { question: "Question", findings: "Findings", note: "Note", by: "By" },
    examples: "At most three examples are shown.",
    all: (findings: number, pages: number) => `All ${counted(findings, "finding")} on ${counted(pages, "page")}`,
    answer: "Your answer",
    yes: "Yes, it is as it should be",
    yesWhat: (findings: number) => `${counted(findings, "finding")} ${findings === 1 ? "is" : "are"} settled`,
    no: "No, it is wrong",
    noWhat: (criterion: string) => `criterion ${criterion} fails on this site; the findings stay until they are mended`,
    note: "Note",
    noteHelp: "It is kept with the answer.",
    save: "Save, and next question",
    holds:
      "Holds for this element on all pages of the site, also on those that come later. Where it changes, it is asked again.",
  },
  criteria: {
    title: "Criteria",
    states,
    principles: { "1": "Perceivable", "2": "Operable", "3": "Understandable", "4": "Robust" } as Readonly<
      Record<string, string>
    >,
    sum: (fails: number, all: number) => `${formatNumber(fails)} of ${counted(all, "criterion", "criteria")} fail`,
    open: (person: number, confirm: number) =>
      `${formatNumber(person)} need a person, ${formatNumber(confirm)} more can be confirmed.`,
    means:
      "Nothing found by machine is not passed: no check of a machine failed in the newest run. An answer of a person holds for a year.",
    state: "State",
    columns: { criterion: "Criterion", level: "Level", state: "State", evidence: "Evidence" },
    of: (principle: string) => `${principle}: criteria`,
    errors: (n: number) => counted(n, "error"),
    answer: "Answer it",
    confirm: "Confirm it",
    change: "Change the answer",
    tooOld: "The answer is older than a year",
    form: (name: string) => `Answer ${name}`,
    understand: "What it asks, in W3C's words",
    outcome: "All in all",
    outcomes: { passed: "Passed", failed: "Failed", not_present: "Not present" },
    evidence: "What was seen",
    evidenceHelp: "Evidence for this criterion: it stands in exports.",
    answeredBy: "Who has looked",
    answeredByHelp: "A person, a team or an agency.",
    dueOn: "Mended by",
    dueOnHelp: "Of what has failed: it stands in the statement.",
    save: "Save the answer",
    takeBack: "Take the answer back",
    sample: "The sample of pages",
    sampleMeans:
      "Up to two pages of each template, or folder where templates were not compared, and two at random: the same seed draws the same pages.",
    sampleColumns: { page: "Page", drawn: "Drawn" },
    drawn: { template: "by template", random: "at random" },
    seed: "Seed",
    draw: "Draw",
  },
  statement: {
    title: "Statement",
    ready: "Nothing is missing.",
    notReady: (n: number) => `Not ready yet: ${counted(n, "thing")} ${n === 1 ? "is" : "are"} missing.`,
    follows: "The statement is written from criteria and causes, and follows them. Nothing is published by itself.",
    how: "How accessible it is",
    problems: "What does not work yet",
    problemColumns: { problem: "Problem", criteria: "Criteria", due: "Mended by" },
    noDate: "no date yet",
    by: (day: string) => `mended by ${day}`,
    over: (day: string) => `${day} is over`,
    noProblems: "Nothing that is known.",
    missing: "What is missing",
    details: "Who stands for it",
    operator: "Operator",
    operatorHelp: "As it stands on the site's imprint.",
    contact: "Address for those who write",
    contactHelp: "Without it the statement cannot be published.",
    days: "Days until they get an answer",
    save: "Save the draft",
    take: "Take it with you",
    formats: {
      html: "HTML: the text, for your own site",
      "vpat.html": "VPAT (HTML): a table to print",
      "earl.jsonld": "EARL (JSON-LD): results for programs",
      "openacr.yaml": "OpenACR (YAML): for buyers",
    } as Readonly<Record<string, string>>,
  },
};
