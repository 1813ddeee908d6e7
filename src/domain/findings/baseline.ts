import { logJson } from "html-conformance/log-text";
import { manifestOf } from "../../checks/kinds.ts";
import {
  type CheckKind,
  type CheckOutcome,
  checkKinds,
  type Engine,
  type Impact,
  type Issue,
  impacts,
} from "./findings.ts";

/** A known finding: what it takes to recognise it on the same page of another run. */
export type BaselineFinding = {
  /** Path and query of the page, as `pageKey` has it. */
  page: string;
  check: CheckKind;
  rule: string;
  type: "error" | "warning";
  /** For accessibility. */
  impact?: Impact;
  /** Of a rule that is not of the report's standard. */
  outside_standard?: true;
  /** The element's markup, for readers. */
  element?: string;
  /** The element's names, ids and classes, for readers. */
  selector?: string;
  how_many: number;
  /** Digests of the element and of its place; left out for a finding about the document as a whole. */
  tag?: string;
  path?: string;
};

/** A page that could not be checked, and why. */
export type BaselineFailure = { page: string; failure: string };

/** What is known of a site. When a later run finds it again, it does not count. */
export type Baseline = {
  /** The engines that checked it: a finding of a rule that a later version adds is not a new fault of the site. */
  engines: Partial<Record<CheckKind, Engine>>;
  findings: BaselineFinding[];
  failures: BaselineFailure[];
};

const FORMAT = "site-validator-baseline";
const VERSION = 1;
/** The most elements: indistinguishable ones are stored one by one. */
const MAX_ELEMENTS = 100_000;
const DIGEST = /^[0-9a-f]{20}$/;

/** A baseline that cannot be read; `line` counts from 1. */
export class BaselineError extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/**
 * A baseline as the text of its file: a line that names the format, then one JSON object per line, sorted, so that git
 * shows and merges changes line by line.
 */
export function formatBaseline({ engines, findings, failures }: Baseline): string {
  const lines = [...findings.map(inOrder), ...failures.map(({ page, failure }) => ({ page, failure }))]
    .map((entry) => ({ key: `${entry.page}\n${JSON.stringify(entry)}`, text: logJson(JSON.stringify(entry)) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const header = { format: FORMAT, version: VERSION, engines };
  return [JSON.stringify(header), ...new Set(lines.map(({ text }) => text)), ""].join("\n");
}

/** The finding with its members in the order of the type, without undefined ones. */
function inOrder(finding: BaselineFinding): BaselineFinding {
  const { page, check, rule, type, impact, outside_standard, element, selector, how_many, tag, path } = finding;
  return {
    page,
    check,
    rule,
    type,
    ...(impact !== undefined && { impact }),
    ...(outside_standard && { outside_standard }),
    ...(element !== undefined && { element }),
    ...(selector !== undefined && { selector }),
    how_many,
    ...(tag !== undefined && { tag }),
    ...(path !== undefined && { path }),
  };
}

/**
 * Reads the text of a baseline's file. Lines may be in any order and repeated, as after merges.
 *
 * @throws BaselineError for a text that is not a baseline
 */
export function parseBaseline(text: string): Baseline {
  const lines = text.split(/\r?\n/);
  const header = object(lines[0] ?? "", 1);
  if (header.format !== FORMAT)
    throw new BaselineError(1, `it is not a baseline: its first line has no "format":"${FORMAT}"`);
  if (header.version !== VERSION)
    throw new BaselineError(1, `its version is ${JSON.stringify(header.version)}; this program knows ${VERSION}`);
  const findings = new Map<string, BaselineFinding>();
  const failures = new Map<string, BaselineFailure>();
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line === "") continue;
    const entry = object(line, index + 1);
    // A merge of two branches that both wrote this line may keep both.
    if (entry.format === FORMAT) continue;
    if (isFailure(entry)) failures.set(`${entry.page} ${entry.failure}`, { page: entry.page, failure: entry.failure });
    else if (isFinding(entry)) {
      const { page, check, rule, tag, path, selector } = entry;
      const key = JSON.stringify([page, check, rule, tag, path, selector]);
      const known = findings.get(key);
      if (!known || known.how_many < entry.how_many) findings.set(key, entry);
    } else throw new BaselineError(index + 1, "it is neither a finding nor a page that could not be checked");
  }
  return { engines: enginesOf(header.engines), findings: [...findings.values()], failures: [...failures.values()] };
}

function object(line: string, number: number): Record<string, unknown> {
  if (/^(<{7}|={7}|>{7}|\|{7})/.test(line))
    throw new BaselineError(number, "it is a git conflict marker: resolve the conflict");
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // As below.
  }
  throw new BaselineError(number, "it is not a JSON object");
}

function isFailure(entry: Record<string, unknown>): entry is BaselineFailure {
  return typeof entry.page === "string" && entry.page.startsWith("/") && typeof entry.failure === "string";
}

function isFinding(entry: Record<string, unknown>): entry is BaselineFinding {
  const { page, check, rule, type, impact, how_many, tag, path } = entry;
  const isDigest = (value: unknown) => value === undefined || (typeof value === "string" && DIGEST.test(value));
  return (
    typeof page === "string" &&
    page.startsWith("/") &&
    checkKinds.includes(check as CheckKind) &&
    typeof rule === "string" &&
    (type === "error" || type === "warning") &&
    (impact === undefined || impacts.includes(impact as Impact)) &&
    Number.isInteger(how_many) &&
    (how_many as number) > 0 &&
    (how_many as number) <= MAX_ELEMENTS &&
    isDigest(tag) &&
    isDigest(path) &&
    (tag === undefined) === (path === undefined)
  );
}

function enginesOf(value: unknown): Baseline["engines"] {
  const given = (typeof value === "object" && value !== null ? value : {}) as Record<string, Partial<Engine>>;
  return Object.fromEntries(
    checkKinds.flatMap((kind) => {
      const { name, version } = given[kind] ?? {};
      return typeof name === "string" && typeof version === "string" ? [[kind, { name, version }]] : [];
    }),
  );
}

/** The result of a check that would find again what is known of a page: its findings of this kind. */
export function baselineOutcome(
  kind: CheckKind,
  engines: Baseline["engines"],
  found: readonly BaselineFinding[],
): CheckOutcome {
  const engine = engines[kind] ?? { name: "", version: "" };
  return { kind, engine, issues: [...Map.groupBy(found, issueKey).values()].map((of) => issueOf(kind, of)) };
}

function issueKey({ rule, type, impact, outside_standard }: BaselineFinding): string {
  return JSON.stringify([rule, type, impact, outside_standard]);
}

const nowhere = { first_line: 1, last_line: 1, first_column: 1, last_column: 1, hilite_start: 0, hilite_length: 0 };

function issueOf(kind: CheckKind, found: readonly BaselineFinding[]): Issue {
  const { rule = "", type = "error", impact, outside_standard = false } = found[0] ?? {};
  const { issues, hasStandards } = manifestOf(kind);
  const place = ({ selector = "" }: BaselineFinding) =>
    issues.element.includes("coordinates") ? { coordinates: nowhere } : { target: selector, failure_summary: "" };
  return {
    issue_type: type,
    rule,
    message: rule,
    help_url: hasStandards ? "" : null,
    impact: hasStandards ? (impact ?? "minor") : null,
    tags: hasStandards ? [outside_standard ? "best-practice" : "wcag2a"] : [],
    html: found.flatMap((one) => elements(one).map((element) => ({ ...element, ...place(one) }))),
  };
}

/** One entry per indistinguishable element. */
function elements({ element: extract = "", tag, path, selector, how_many }: BaselineFinding) {
  const element = tag === undefined || path === undefined ? null : { tag, path, ...(selector && { selector }) };
  return Array<{ extract: string; element: typeof element }>(how_many).fill({ extract, element });
}
