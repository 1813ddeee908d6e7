import { cssProblems } from "../css/css-problems.ts";
import { REFERRER_POLICIES } from "../metadata/meta.ts";
import { formatValue, quoted } from "../open-element.ts";
import { isObject, type JsonObject, kindOf, parseObject } from "./json.ts";

const ACTIONS = ["prefetch", "prerender"];
const RULE_KEYS: ReadonlySet<string> = new Set(
  "source urls where relative_to eagerness referrer_policy tag requires expects_no_vary_search target_hint".split(" "),
);
const EAGERNESS = ["immediate", "eager", "moderate", "conservative"];
const BASES = ["ruleset", "document"];
const REQUIREMENT = "anonymous-client-ip-when-cross-origin";
const PREDICATES = ["and", "or", "not", "href_matches", "selector_matches"];
const BASE = "https://example.com/";

/** What is wrong with speculation rules, as the end of a sentence; undefined where nothing is. */
export function speculationRulesProblem(text: string): string | undefined {
  const parsed = parseObject(text);
  if ("problem" in parsed) return parsed.problem;
  const { object } = parsed;
  if (!ACTIONS.some((action) => Object.hasOwn(object, action)))
    return `it has none of the keys ${quoted(ACTIONS)}, and so does nothing.`;
  for (const [key, rules] of Object.entries(object)) {
    if (key === "tag") {
      const problem = tagProblem(rules);
      if (problem) return problem;
      continue;
    }
    if (!ACTIONS.includes(key))
      return `it has the key "${formatValue(key)}"; allowed are "prefetch", "prerender" and "tag".`;
    if (!Array.isArray(rules)) return `the value of "${key}" is ${kindOf(rules)}; it must be an array.`;
    const problem = rulesProblem(rules);
    if (problem) return `in a rule of "${key}", ${problem}`;
  }
  return undefined;
}

/** A tag is sent in a header. @see https://html.spec.whatwg.org/multipage/speculative-loading.html#speculation-rule-tag */
function tagProblem(tag: unknown): string | undefined {
  if (typeof tag !== "string") return `the value of "tag" is ${kindOf(tag)}; it must be a string.`;
  return /^[ -~]*$/.test(tag)
    ? undefined
    : `the value of "tag", "${formatValue(tag)}", has characters other than printable ASCII.`;
}

function rulesProblem(rules: readonly unknown[]): string | undefined {
  for (const rule of rules) {
    if (!isObject(rule)) return `it is ${kindOf(rule)}; it must be an object.`;
    const problem = ruleProblem(rule) ?? (rule.tag === undefined ? undefined : tagProblem(rule.tag));
    if (problem) return problem;
  }
  return undefined;
}

function ruleProblem(rule: JsonObject): string | undefined {
  for (const key of Object.keys(rule)) if (!RULE_KEYS.has(key)) return `the key "${formatValue(key)}" is not known.`;
  const { source, urls, where, eagerness, relative_to } = rule;
  if (source !== undefined && source !== "list" && source !== "document")
    return `"source" must be "list" or "document".`;
  if (urls !== undefined && where !== undefined) return `"urls" and "where" exclude each other.`;
  if (urls === undefined && where === undefined) return `"urls" or "where" is missing.`;
  if (source === "list" && urls === undefined) return `"urls" is missing, which "source": "list" needs.`;
  if (source === "document" && where === undefined) return `"where" is missing, which "source": "document" needs.`;
  if (eagerness !== undefined && !EAGERNESS.includes(eagerness as string))
    return `"eagerness" must be ${quoted(EAGERNESS)}.`;
  if (relative_to !== undefined && (where !== undefined || !BASES.includes(relative_to as string)))
    return `"relative_to" must be "ruleset" or "document", and goes with "urls" only.`;
  return fetchProblem(rule) ?? (urls === undefined ? predicateProblem(where) : urlsProblem(urls));
}

/** How the pages are fetched. */
function fetchProblem({ referrer_policy: policy, requires }: JsonObject): string | undefined {
  if (policy !== undefined && policy !== "" && !REFERRER_POLICIES.includes(policy as string))
    return `"referrer_policy" must be ${quoted(REFERRER_POLICIES)}.`;
  const isKnown = requires === undefined || (Array.isArray(requires) && requires.every((one) => one === REQUIREMENT));
  return isKnown ? undefined : `"requires" must be an array with "${REQUIREMENT}" only.`;
}

function urlsProblem(urls: unknown): string | undefined {
  if (!Array.isArray(urls)) return `"urls" is ${kindOf(urls)}; it must be an array.`;
  if (urls.length === 0) return `"urls" is empty.`;
  for (const url of urls) {
    if (typeof url !== "string") return `"urls" contains ${kindOf(url)}; it must contain strings.`;
    if (url === "" || !URL.canParse(url, BASE)) return `"urls" contains "${formatValue(url)}", which is not a URL.`;
  }
  return undefined;
}

/** Checks predicates one after the other, without recursion: they may nest without limit. */
function predicateProblem(outermost: unknown): string | undefined {
  const waiting = [outermost];
  while (waiting.length > 0) {
    const predicate = waiting.pop();
    if (!isObject(predicate)) return `a condition is ${kindOf(predicate)}; it must be an object.`;
    const key = keyOf(predicate);
    if (!key) return `a condition must have exactly one of the keys ${quoted(PREDICATES)}.`;
    const operand = predicate[key];
    const problem = baseProblem(key, predicate) ?? operandProblem(key, operand);
    if (problem) return problem;
    if (key === "not") waiting.push(operand);
    else if (key === "and" || key === "or") for (const one of operand as unknown[]) waiting.push(one);
  }
  return undefined;
}

function keyOf(predicate: JsonObject): string | undefined {
  const [key, ...others] = Object.keys(predicate).filter((one) => one !== "relative_to");
  return key !== undefined && others.length === 0 && PREDICATES.includes(key) ? key : undefined;
}

function baseProblem(key: string, predicate: JsonObject): string | undefined {
  if (!("relative_to" in predicate)) return undefined;
  return key === "href_matches" && BASES.includes(predicate.relative_to as string)
    ? undefined
    : `"relative_to" must be "ruleset" or "document", and goes with "href_matches" only.`;
}

function operandProblem(key: string, operand: unknown): string | undefined {
  if (key === "not") return undefined;
  if (key !== "and" && key !== "or") return patternsProblem(key, operand);
  return Array.isArray(operand) && operand.length > 0 ? undefined : `"${key}" must be an array that is not empty.`;
}

function patternsProblem(key: string, operand: unknown): string | undefined {
  const patterns = Array.isArray(operand) ? operand : [operand];
  if (patterns.length === 0) return `"${key}" is an empty array.`;
  for (const pattern of patterns)
    if (key === "href_matches" && isObject(pattern)) continue;
    else if (typeof pattern !== "string" || pattern === "")
      return `"${key}" must be a string that is not empty, or an array of such.`;
    else if (key === "selector_matches") {
      const [problem] = cssProblems(`${pattern} {}`, "stylesheet", { pieces: 0 });
      if (problem) return `"selector_matches" contains "${formatValue(pattern)}", which is not a selector.`;
    }
  return undefined;
}
