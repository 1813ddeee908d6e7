import { html } from "../checks/html/manifest.ts";
import { type CheckKind, kindsThat, type Manifests, manifestOf, namedByKind } from "../checks/kinds.ts";
import type { OptionOfCheck, Setting } from "./setting.ts";
import { flag, GLOB_HELP, GLOB_TEXT, globs } from "./values.ts";

type Flag = { readonly type: "boolean"; readonly default: boolean };
type Row = Omit<Setting, "schema" | "option"> & { readonly schema: Flag };
type Performs = {
  readonly [Kind in CheckKind as Manifests[Kind]["settings"]["perform"]]: Row & {
    readonly option: OptionOfCheck & { readonly name: Kind };
  };
};
type StoresRaw = { readonly [Kind in CheckKind as Manifests[Kind]["settings"]["storeRaw"]]: Row };

const lastOfOthers = kindsThat(({ byDefault }) => !byDefault.report).at(-1);

/** Whether checks of each kind are performed. */
const performs = namedByKind<Performs>((kind) => {
  const { settings, texts, byDefault } = manifestOf(kind);
  const row: Setting = {
    text: texts.perform,
    schema: flag(byDefault.report),
    schedule: { default: byDefault.schedule },
    series: "checks",
    // Those that are performed only if they are asked for come first.
    option: { name: kind, text: texts.check, after: (byDefault.report && lastOfOthers) || "maxPages" },
    form: { group: "checks", label: texts.title },
  };
  return [settings.perform, row];
});

/** Whether what the engines of each kind returned is stored. */
const storesRaw = namedByKind<StoresRaw>((kind) => {
  const { settings, texts } = manifestOf(kind);
  const row: Setting = {
    text: texts.storeRaw,
    schema: flag(false),
    series: false,
    form: { group: "keeping", label: texts.raw },
  };
  return [settings.storeRaw, row];
});

/** What is checked, what of it counts, and what is kept. */
export const checked = {
  ...performs,
  htmlEngine: {
    text: "What checks HTML: conformance (the HTML Standard, as the Nu Html Checker checks it), html-validate, or nu (the Nu Html Checker itself, where it can run).",
    schema: { type: "string", enum: html.engines, default: "conformance" },
    series: "HTML checker",
    limit: "htmlEngines",
    option: { value: "engine", text: "[what checks HTML](engines.md); nu needs Java", after: "html" },
    form: {
      group: "browser",
      label: "HTML checker",
      labels: {
        conformance: "Conformance: the HTML Standard",
        "html-validate": "html-validate",
        nu: "Nu Html Checker, if it can run",
      },
      after: "devices",
    },
  },
  standard: {
    text: "What makes an accessibility finding an error or a warning: a rule of this standard or, with all, any rule. Findings of other rules, such as best practices, are kept and counted separately, and never fail a gate.",
    schema: {
      type: "string",
      enum: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "section508", "en301549", "all"],
      // The API's specification requires that all findings count.
      default: "all",
    },
    series: "accessibility standard",
    // The command line's default is what law and contracts require, not every best practice.
    option: { value: "name", text: "which accessibility findings are errors", default: "wcag22aa", after: "rotated" },
    form: {
      group: "always",
      label: "Accessibility standard",
      help: "Findings outside of it are listed, but count neither as errors nor as warnings.",
      labels: {
        wcag2a: "WCAG 2.0, level A",
        wcag2aa: "WCAG 2.0, level AA",
        wcag21aa: "WCAG 2.1, level AA",
        wcag22aa: "WCAG 2.2, level AA",
        section508: "Section 508",
        en301549: "EN 301 549",
        all: "Every rule, including best practices",
      },
      // People want a standard.
      default: "wcag22aa",
    },
    seriesAfter: "userAgent",
  },
  a11yDepth: {
    text: "How far accessibility checks go: static reads each page, acting also uses the first three pages of each template, with a keyboard, at other sizes and as time passes, and acting_everywhere every page. Most of what only acting finds needs a review, which storeIncompleteChecks keeps. Requires performA11yChecks.",
    schema: { type: "string", enum: ["static", "acting", "acting_everywhere"], default: "static" },
    series: "accessibility depth",
    option: {
      value: "depth",
      text: "how far accessibility checks go: [acting](acting.md) also uses three pages of each template, and keeps what needs a review",
      after: "standard",
    },
    form: {
      group: "always",
      label: "Accessibility depth",
      help: "Acting takes longer, and also keeps what a person has to review.",
      labels: {
        static: "Static: each page as it is",
        acting: "Acting: also with a keyboard, at other sizes and as time passes, on three pages of each template",
        acting_everywhere: "Acting everywhere: the same on every page",
      },
    },
  },
  includeLinks: {
    text: `Globs of the only addresses that link checks look at, such as https://example.com/**. ${GLOB_TEXT} Without globs they look at every address.`,
    schema: globs,
    series: "links that alone are checked",
    option: {
      value: "glob",
      text: "check only links that this glob matches, such as `https://example.com/**`; may be repeated",
      after: "excludeGlob",
    },
    form: { group: "visiting", label: "Check only links to", help: GLOB_HELP, rows: 2, after: "excludeGlobs" },
    example: ["https://example.com/**"],
    seriesAfter: "deepCrawl",
  },
  excludeLinks: {
    text: `Globs of addresses that link checks leave alone. ${GLOB_TEXT}`,
    schema: globs,
    series: "links that are not checked",
    option: {
      value: "glob",
      text: "do not check links that this glob matches; may be repeated",
      after: "includeLinks",
    },
    form: { group: "visiting", label: "Do not check links to", help: GLOB_HELP, rows: 2, after: "includeLinks" },
    example: ["https://shop.example.com/**"],
    seriesAfter: "includeLinks",
  },
  ...storesRaw,
  storeIncompleteChecks: {
    text: "Keep the accessibility engine's results that need manual review, as warnings. Requires performA11yChecks.",
    schema: flag(false),
    series: "results to review",
    form: {
      group: "keeping",
      label: "Accessibility results that a person has to review, as warnings",
      after: "storeScreenshot",
    },
  },
  storeScreenshot: {
    text: "Keep a screenshot of every checked page, with or without accessibility checks; and of the page after each step to sign in, without what is typed, for the owner.",
    schema: flag(false),
    series: false,
    // People want pictures.
    form: {
      group: "keeping",
      label: "A screenshot of each page, and of each step to sign in",
      default: "true",
      after: "",
    },
  },
} as const satisfies Record<string, Setting>;
