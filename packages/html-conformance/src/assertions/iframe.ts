import { type ElementRule, formatValue, tokens, value } from "./open-element.ts";
import { htmlSection } from "../finding.ts";

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
