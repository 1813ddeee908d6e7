import { htmlSection } from "../finding.ts";
import {
  type DocumentRule,
  type ElementRule,
  formatValue,
  has,
  is,
  type OpenElement,
  type ReportProblem,
  tokens,
  value,
} from "./open-element.ts";

const FEATURE = /^[A-Za-z0-9-]+$/;
const ORIGIN = /^(?:\*|'self'|'src'|'none'|[a-z][a-z0-9+.-]*:\/\/(?:\*\.)?[^\s/;,'"]+\/?)$/i;

/** `allow` of an `<iframe>`. @see https://w3c.github.io/webappsec-permissions-policy/#serialized-permissions-policy */
export const checkPermissions: ElementRule = (open, report) => {
  const problem = policyProblem(value(open, "allow") ?? "");
  if (problem)
    report(open, {
      rule: "bad-value/allow",
      message: `The value "${formatValue(value(open, "allow") ?? "")}" of the attribute "allow" on <iframe> is not a permissions policy: ${problem}.`,
      section: htmlSection("iframe-embed-object.html#attr-iframe-allow"),
      attribute: "allow",
    });
};

function policyProblem(policy: string): string | undefined {
  for (const directive of policy.split(";")) {
    const [feature, ...origins] = tokens(directive);
    if (feature === undefined) continue;
    if (!FEATURE.test(feature)) return `"${formatValue(feature)}" is not the name of a feature; ";" separates features`;
    const wrong = origins.find((origin) => !ORIGIN.test(origin));
    if (wrong !== undefined)
      return `"${formatValue(wrong)}" is neither an origin nor "*", "'self'", "'src'" or "'none'"`;
  }
  return undefined;
}

/** What a document in an attribute may lack: https://html.spec.whatwg.org/multipage/semantics.html#the-title-element */
const MAY_LACK: ReadonlySet<string> = new Set(["parse/missing-doctype", "missing-child/title", "missing-child/head"]);
/** The most characters of such documents in a page that are checked, which bounds the time. */
const MAX_SOURCE = 500_000;

/** The documents in `srcdoc`; in such a document, the encodings that it declares, though it is decoded already. */
export const watchSourceDocuments: DocumentRule = (report, { errorsOf }) => {
  if (!errorsOf) return { names: ["meta"], open: (open) => checkNoEncoding(open, report) };
  let left = MAX_SOURCE;
  return {
    names: ["iframe"],
    open(open) {
      const source = open.name && value(open, "srcdoc");
      if (!source) return;
      const found = { section: htmlSection("iframe-embed-object.html#attr-iframe-srcdoc"), attribute: "srcdoc" };
      left -= source.length;
      if (left < 0) {
        const message = `The attribute "srcdoc" is not checked: the page has more than ${MAX_SOURCE / 1_000} kB of them.`;
        report(open, { ...found, severity: "info", rule: "not-checked/srcdoc", message });
        return;
      }
      const [first, ...others] = errorsOf(source).filter(({ rule }) => !MAY_LACK.has(rule));
      if (!first) return;
      const count = others.length > 0 ? ` It has ${others.length} more.` : "";
      report(open, {
        ...found,
        rule: "bad-value/srcdoc",
        message: `The document in the attribute "srcdoc" has an error: ${first.message}${count}`,
      });
    },
  };
};

function checkNoEncoding(open: OpenElement, report: ReportProblem): void {
  if (!has(open, "charset") && !is(open, "http-equiv", "content-type")) return;
  report(open, {
    rule: "meta/charset",
    message: 'A document in the attribute "srcdoc" is text already; it must not declare an encoding.',
    section: htmlSection("semantics.html#charset"),
  });
}
