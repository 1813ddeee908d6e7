import { logJson } from "html-conformance/log-text";
import { SARIF_SCHEMA, sarifCause, sarifFix, sarifText } from "html-conformance/output";
import type { Invocation, ReportingDescriptor, Result, Run, Suppression } from "sarif";
import { manifestOf } from "../../checks/kinds.ts";
import { type Coverage, exampleText, noticeSentence } from "../coverage/coverage.ts";
import { noticeTexts } from "../coverage/notices.ts";
import type { FindingState } from "../findings/finding-state.ts";
import type { CheckKind, Engine } from "../findings/findings.ts";
import type { GuideExample } from "../guides/guide.ts";
import type { RenderedGuide } from "../guides/guides.ts";
import type { Exported, ExportedFinding, ExportedReport, ExportFormat } from "./exported.ts";

/** The key by which tools match results of different runs; its number changes with the way to compute fingerprints. */
const FINGERPRINT = "siteValidator/v1";

const baselineStates: Record<FindingState, NonNullable<Result["baselineState"]>> = {
  persisting: "unchanged",
  new: "new",
  new_rule: "new",
  fixed: "absent",
  gone: "absent",
  unknown: "unchanged",
};

type GuidesToRules = Awaited<ReturnType<Exported["guides"]>>;

/** The rules of a run in the order in which results named them. */
type Rules = Map<string, { index: number; descriptor: ReportingDescriptor }>;

async function* write(exported: Exported): AsyncIterable<string> {
  const guides = await exported.guides();
  yield `{"$schema":${JSON.stringify(SARIF_SCHEMA)},"version":"2.1.0","runs":[`;
  let separator = "";
  for (const kind of exported.kinds) {
    // A report knows an engine as soon as it has a finding of it.
    const engine = exported.report.engines[kind];
    if (!engine) continue;
    yield separator;
    yield* writeRun(exported, guides, kind, engine);
    separator = ",";
  }
  // A report that nothing was found in, or that could not check anything, still says what it covers.
  if (separator === "" && exported.report.coverage)
    yield logJson(
      JSON.stringify({
        tool: { driver: { name: "site-validator" } },
        results: [],
        ...about(exported.report),
      } satisfies Run),
    );
  yield "]}\n";
}

/** One run per engine. The rules are written after the results, which name them: members of an object have no order. */
async function* writeRun(
  exported: Exported,
  guides: GuidesToRules,
  kind: CheckKind,
  engine: Engine,
): AsyncIterable<string> {
  const { report, pages } = exported;
  const rules: Rules = new Map();
  yield '{"results":[';
  let separator = "";
  for await (const { findings } of pages(kind)) {
    if (findings.length === 0) continue;
    yield separator + findings.map((finding) => logJson(JSON.stringify(resultOf(finding, rules, guides)))).join(",");
    separator = ",";
  }
  const rest: Run = {
    tool: {
      driver: {
        name: engine.name,
        version: engine.version,
        rules: [...rules.values()].map(({ descriptor }) => descriptor),
      },
    },
    automationDetails: { id: `site-validator/${kind}/${report.id}` },
    ...about(report),
  };
  yield `],${logJson(JSON.stringify(rest)).slice(1)}`;
}

/** What each run says of its report: each may be read alone. */
function about({ starting_url, coverage }: ExportedReport): Pick<Run, "columnKind" | "properties" | "invocations"> {
  return {
    ...(coverage && { invocations: [invocation(coverage)] }),
    columnKind: "utf16CodeUnits",
    properties: { startingUrl: starting_url },
  };
}

function invocation({ complete, pages, notices }: Coverage): Invocation {
  return {
    executionSuccessful: !notices.some(({ code }) => code === "nothing_checked"),
    toolExecutionNotifications: notices.map((group) => {
      const { severity, advice } = noticeTexts[group.code];
      const said = group.examples.map((example) => exampleText(example));
      return {
        descriptor: { id: group.code },
        level: severity === "gap" ? "warning" : "note",
        message: { text: sarifText([noticeSentence(group), advice, ...said].join("\n")) },
      };
    }),
    properties: { complete, pages },
  };
}

/** The name of a finding's rule, or the kind of check: code scanning refuses a result without a rule. */
function ruleOf({ rule, kind }: ExportedFinding): string {
  return rule ?? kind;
}

function resultOf(finding: ExportedFinding, rules: Rules, guides: GuidesToRules): Result {
  const { fingerprint, issue_type, message, page_url, target, selector, line, column, html, state } = finding;
  const element = target ?? selector;
  return {
    ruleId: ruleOf(finding),
    ruleIndex: indexOf(finding, rules, guides),
    level: finding.outside_standard ? "note" : issue_type,
    message: { text: sarifText(message) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: artifactOf(page_url) },
          region: {
            startLine: line ?? 1,
            ...(column !== null && { startColumn: column }),
            ...(html !== null && { snippet: { text: html } }),
          },
        },
        ...(element !== null && { logicalLocations: [{ fullyQualifiedName: element, kind: "element" }] }),
      },
    ],
    partialFingerprints: { [FINGERPRINT]: fingerprint },
    occurrenceCount: finding.how_many,
    ...(state && { baselineState: baselineStates[state] }),
    ...(finding.muted && { suppressions: [suppressionOf(finding)] }),
    ...causeOf(finding),
    ...fixesOf(finding),
    properties: {
      pageUrl: page_url,
      firstSeenAt: finding.first_seen_at,
      ...(state && { state }),
      ...(finding.impact && { impact: finding.impact }),
    },
  };
}

/** The finding that it follows from, in the same page. */
function causeOf({ caused_by, page_url }: ExportedFinding): Pick<Result, "relatedLocations"> {
  if (!caused_by) return {};
  const { rule, first_line: startLine, first_column: startColumn } = caused_by;
  const physicalLocation = {
    artifactLocation: { uri: artifactOf(page_url) },
    region: { startLine, startColumn },
  };
  return { relatedLocations: [sarifCause(rule, { physicalLocation })] };
}

function fixesOf({ fix, page_url }: ExportedFinding): Pick<Result, "fixes"> {
  if (!fix) return {};
  const edits = fix.edits.map(({ start_line, start_column, end_line, end_column, text }) => ({
    ...{ startLine: start_line, startColumn: start_column, endLine: end_line, endColumn: end_column },
    text,
  }));
  return { fixes: [sarifFix(fix.title, edits, { uri: artifactOf(page_url) })] };
}

function suppressionOf({ muting }: ExportedFinding): Suppression {
  return { kind: "external", ...(muting?.reason && { justification: muting.reason }) };
}

function indexOf(finding: ExportedFinding, rules: Rules, guides: GuidesToRules): number {
  const rule = ruleOf(finding);
  const known = rules.get(rule);
  if (known) return known.index;
  const index = rules.size;
  rules.set(rule, { index, descriptor: descriptorOf(finding, guides.find(finding.kind, rule)) });
  return index;
}

function descriptorOf(finding: ExportedFinding, rendered: RenderedGuide | undefined): ReportingDescriptor {
  const { message, help_url, tags, kind } = finding;
  const rule = ruleOf(finding);
  const isOfElement = manifestOf(kind).commonBy.includes("message");
  const text = isOfElement ? (rendered?.guide.title ?? rule) : message;
  const said = rendered?.description.text ?? message;
  const source = help_url ?? rendered?.guide.section;
  return {
    id: rule,
    shortDescription: { text: sarifText(text) },
    help: {
      text: sarifText(source ? `${said} ${source}` : said),
      ...(rendered && { markdown: markdownHelp(rendered, source) }),
    },
    ...(source && { helpUri: source }),
    properties: { tags: [...new Set(tags)] },
  };
}

/** The help that code scanning shows beside each result. */
function markdownHelp({ guide }: RenderedGuide, source: string | undefined): string {
  const parts = guide.parts.map(({ heading, markdown }) => `## ${heading}\n\n${markdown}`);
  const example = (title: string, { source: code }: GuideExample) => `## ${title}\n\n\`\`\`\`html\n${code}\n\`\`\`\``;
  return [
    ...parts,
    example("Before", guide.before),
    example("After", guide.after),
    ...(source ? [`[Read more](${source})`] : []),
  ].join("\n\n");
}

/** Characters that URLs of pages contain although RFC 3986 does not allow them in a path or query. */
const NOT_URI = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/g;
/** An escaped slash or backslash in a name: once decoded, `..%2f` would lead out of the root. */
const ENCODED_SLASH = /%(?=2f|5c)/gi;

/** Path and query, relative: code scanning refuses absolute URLs. The root is "./". */
function artifactOf(url: string): string {
  const { pathname, search } = new URL(url);
  const path = `${pathname.replace(/^\/+/, "")}${search}`
    .replace(NOT_URI, encodeURIComponent)
    .replace(ENCODED_SLASH, "%25");
  return path === "" || path.includes(":") || path.startsWith("?") ? `./${path}` : path;
}

/** SARIF 2.1.0 (OASIS), a run for each engine. */
export const sarif: ExportFormat = {
  title: "SARIF",
  description:
    "SARIF 2.1.0, one run per engine, for code scanning: with partialFingerprints, and with baselineState if the report has a comparison.",
  mediaType: "application/sarif+json",
  write,
};
