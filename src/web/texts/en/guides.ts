import { counted } from "./numbers.ts";

/** The guides to rules. */
export const guidesTexts = {
  guides: {
    title: "Guides to rules",
    intro: (guides: string) => `What is wrong, who is affected, and how to fix it: ${guides}, each with an example.`,
    count: (n: number) => counted(n, "guide"),
    found: (guides: string) => `${guides} found`,
    text: "Title, rule or criterion",
    kind: "About",
    groups: {
      wcag: "Required by WCAG",
      practice: "Good practice",
      parse: "Errors of the parser",
      engine: (engine: string) => `Rules of ${engine}`,
    },
    none: "No guides match",
    noneWhat: "Choose other words, or show everything.",
  },
  guide: {
    mine: "In my sites",
    mineColumns: "findings, pages",
    nowhere: "The newest reports of your sites have none.",
    about: "About the rule",
    kind: "Check",
    rule: "Rule",
    engine: "Found by",
    goodPractice: "This is good practice. No success criterion of WCAG requires it.",
    before: "Before",
    after: "After",
    readMore: "Read more",
    actRule: (id: string) => `ACT rule ${id} of the W3C`,
    understanding: (criterion: string, level: string) => `Understanding WCAG 2.2, ${criterion} (level ${level})`,
    section: (standard: string, part: string) => `${standard}: ${part}`,
  },
};
