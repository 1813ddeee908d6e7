import type { MutingCategory } from "../../../schema/muting.ts";
import { counted, formatNumber } from "./numbers.ts";

/** Mutings, and what they silence. */
export const mutingsTexts = {
  mutings: {
    title: "Mutings",
    add: "New muting",
    caption: "What is muted, and until when",
    columns: { what: "What is muted", why: "Why", by: "By", ends: "Ends", findings: "Findings now" },
    find: "Find a muting",
    state: "State",
    states: { ends_soon: "Ends soon", matches_nothing: "Matches nothing" },
    inDays: (days: number) => (days === 0 ? "today" : `in ${counted(days, "day")}`),
    since: "since",
    noMatch: "No muting matches.",
    showAll: (n: number) => `Show all ${formatNumber(n)}`,
    mutedNow: (n: number) => `${counted(n, "finding")} ${n === 1 ? "is" : "are"} muted now.`,
    mutedByIt: (n: number) => `${counted(n, "finding")} ${n === 1 ? "is" : "are"} muted by it now.`,
    canGo: "What matches nothing can go:",
    lookAtThem: (n: number) => (n === 1 ? "look at it" : `look at these ${formatNumber(n)}`),
    categories: {
      false_positive: "False positive",
      accepted: "Accepted",
      third_party: "Third party",
      later: "Later",
      passed: "Looked at",
    } as Readonly<Record<MutingCategory, string>>,
    noEnd: "Never",
    none: "Nothing is muted",
    noneWhat:
      "A muting silences findings that need not be fixed: they are kept, but not counted. Create one from an issue's page, or here.",
    criteria: {
      rule: "Rule",
      selector: "Selector",
      component: "The same element",
      fingerprint: "One finding",
      message: "Message",
      url_match: "Address",
    },
  },

  mutingForm: {
    newTitle: "Mute",
    editTitle: "Edit muting",
    extent: "What is muted",
    extents: {
      elementOnSite: "This element on this site",
      element: "This element on all sites",
      ruleOnSite: "This rule on this site",
      rule: "This rule everywhere",
    },
    extentWhat: {
      elementOnSite: "the same fault of the same element",
      element: "wherever the same element is",
      ruleOnSite: "all elements, also new ones",
      rule: "rarely right: new faults would stay unseen",
    },
    exactly: "More exactly",
    noCategory: "Not said",
    noCategoryWhat: "only what is written below",
    categoryWhat: {
      false_positive: "the check is wrong here",
      accepted: "known, and it stays",
      third_party: "others have to fix it",
      later: "needs an end",
      passed: "a person has looked: it is as it should be",
    } as Readonly<Record<MutingCategory, string>>,
    update: "Update the preview",
    keeps: "Muted findings stay in reports, under “muted”. Nothing is deleted.",
    errorsBecome: (from: number, to: number) => `${counted(from, "error")} → ${formatNumber(to)}`,
    which: "Which findings",
    whichHelp: "A finding is muted if it matches all fields that are filled in.",
    rule: "Rule",
    ruleHelp: "The checker's name for it, such as image-alt.",
    selector: "Selector",
    selectorHelp: "A CSS selector for the element, of names, ids and classes, such as #ads img.",
    component: "The same element",
    componentHelp: "One fault of one element, on whatever pages: its id, 20 characters.",
    fingerprint: "One finding",
    fingerprintHelp: "One fault on one page, in every report: its fingerprint, 20 characters.",
    message: "The message contains",
    messageHelp: "It needs an address, too, unless a field above is filled in.",
    urlMatch: "The page's address contains",
    urlMatchHelp:
      "Such as //example.com/ for one site; without it, all sites are meant. It needs a message, too, unless a field above is filled in.",
    why: "Why",
    comment: "Explanation",
    commentHelp: "Everybody who may see a report can read it.",
    reason: "Internal reason",
    reasonHelp: "Only your account can read it.",
    expiresAt: "Ends on",
    expiresAtHelp: "At the end of that day, UTC; then its findings are counted again. Without a date it does not end.",
    create: "Mute",
    save: "Save",
    preview: "Show what it would change",
    previewTitle: "What it would change",
    previewNothing: "Nothing that is counted now.",
    previewIn: (reports: number) =>
      reports === 1 ? "In one report." : `In the newest reports of ${formatNumber(reports)} sites.`,
    sites: (sites: number, reports: number) =>
      `It touches ${counted(sites, "site")} of ${formatNumber(reports)}, by their newest reports`,
    sitesSoFar: (sites: number, reports: number) =>
      `It touches ${counted(sites, "site")} of the ${formatNumber(reports)} that were looked at, by their newest reports`,
    sitesLeft: (left: number) =>
      left === 1
        ? "1 other site was not looked at: this preview ends early for accounts with many sites. The muting applies to it, too."
        : `${formatNumber(left)} other sites were not looked at: this preview ends early for accounts with many sites. The muting applies to them, too.`,
    previewNoReports: "There are no reports yet.",
    findings: "Findings",
    issues: "Issues",
    pages: "Pages",
    delete: "Delete",
    deleteWhat: "Its findings are counted again, in all reports.",
    deleteSure: "Delete this muting",
    sum: (findings: number, pages: number) =>
      `${counted(findings, "finding")} on ${counted(pages, "page")} would not be counted any more.`,
  },
};
