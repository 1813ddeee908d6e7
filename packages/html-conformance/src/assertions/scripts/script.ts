import { htmlSection } from "../../finding.ts";
import {
  type DocumentRule,
  type ElementRule,
  formatValue,
  has,
  is,
  type OpenElement,
  ownText,
  value,
} from "../open-element.ts";
import { elementSection } from "../sections.ts";
import { importMapProblem } from "./import-map.ts";
import { speculationRulesProblem } from "./speculation-rules.ts";

const JAVASCRIPT: ReadonlySet<string> = new Set([
  ..."application/ecmascript application/javascript application/x-ecmascript application/x-javascript".split(" "),
  ..."text/ecmascript text/javascript text/jscript text/livescript text/x-ecmascript text/x-javascript".split(" "),
  ...["1.0", "1.1", "1.2", "1.3", "1.4", "1.5"].map((version) => `text/javascript${version}`),
]);

type Kind = "classic" | "module" | "importmap" | "speculationrules" | "data";

const FETCHING = [
  "async",
  "nomodule",
  "defer",
  "crossorigin",
  "integrity",
  "referrerpolicy",
  "fetchpriority",
  "blocking",
];
/** The attributes that scripts of a kind must not have. */
const PROHIBITED: Record<Kind, readonly string[]> = {
  classic: [],
  module: ["nomodule", "defer"],
  importmap: ["src", ...FETCHING],
  speculationrules: ["src", ...FETCHING],
  data: ["src", ...FETCHING],
};
/** Those that they must not have without `src`. */
const NEEDS_SRC: Record<Kind, readonly string[]> = {
  classic: ["defer", "async", "integrity", "fetchpriority", "charset"],
  module: ["integrity", "fetchpriority", "charset"],
  importmap: ["charset"],
  speculationrules: ["charset"],
  data: ["charset"],
};
const NAMES: Record<Kind, string> = {
  classic: "a classic script",
  module: "a module script",
  importmap: "an import map",
  speculationrules: "a set of speculation rules",
  data: "a data block",
};

/** What a script is by its type. */
export function scriptKind(open: OpenElement): Kind {
  const type = value(open, "type")?.toLowerCase() ?? "";
  if (type === "" || JAVASCRIPT.has(type)) return "classic";
  return type === "module" || type === "importmap" || type === "speculationrules" ? type : "data";
}

/** Which attributes go with which kind of script. */
export const checkScriptAttributes: ElementRule = (open, report) => {
  const kind = scriptKind(open);
  const wrong = (attribute: string, message: string) =>
    report(open, { rule: `script/${attribute}`, message, section: elementSection("script"), attribute });
  for (const attribute of PROHIBITED[kind])
    if (has(open, attribute)) wrong(attribute, `The attribute "${attribute}" is not allowed on ${NAMES[kind]}.`);
  if (!has(open, "src"))
    for (const attribute of NEEDS_SRC[kind])
      if (has(open, attribute))
        wrong(attribute, `The attribute "${attribute}" is not allowed on ${NAMES[kind]} without the attribute "src".`);
  if (is(open, "language", "javascript") && has(open, "type") && !is(open, "type", "text/javascript"))
    wrong("type", 'A script with language="JavaScript" must not have another type than "text/javascript".');
  const type = value(open, "type");
  if (kind === "classic" && type)
    report(open, {
      severity: "warning",
      rule: "script/type-not-needed",
      message: `The attribute "type" with the value "${formatValue(type)}" is unnecessary: scripts are JavaScript without it.`,
      section: htmlSection("scripting.html#attr-script-type"),
      attribute: "type",
    });
};

/** Where text of a script cannot be followed: the last "<!--" has no end, or a "<script" before it. */
function commentProblem(text: string): string | undefined {
  for (let start = text.indexOf("<!--"); start >= 0; ) {
    const end = text.indexOf("-->", start + 4);
    if (end < 0) return 'is not closed by "-->"';
    if (SCRIPT_OPEN.test(text.slice(start + 4, end))) return 'has "<script" before its "-->"';
    start = text.indexOf("<!--", end + 3);
  }
  return undefined;
}

const SCRIPT_OPEN = /<script[\t\n\f />]/i;

/** What is in scripts: their comments of HTML, and those that are JSON. */
export const watchScriptContent: DocumentRule = (report) => ({
  names: ["script"],
  close(open) {
    if (open.name !== "script") return;
    const comment = commentProblem(ownText(open));
    if (comment)
      report(open, {
        rule: "script/comment",
        message: `A "<!--" in <script> ${comment}. Write "\\u003C!--" in strings, which scripts and JSON read alike.`,
        section: htmlSection("scripting.html#restrictions-for-contents-of-script-elements"),
        atEnd: true,
      });
    const kind = scriptKind(open);
    if (kind !== "importmap" && kind !== "speculationrules") return;
    const problem = (kind === "importmap" ? importMapProblem : speculationRulesProblem)(ownText(open));
    if (problem)
      report(open, {
        rule: `script/${kind}`,
        message: `The content of <script type="${kind}"> is not ${NAMES[kind]}: ${problem}`,
        section:
          kind === "importmap"
            ? htmlSection("webappapis.html#import-map-authoring-requirements")
            : htmlSection("speculative-loading.html#speculation-rule-set-authoring-requirements"),
        atEnd: true,
      });
  },
});
