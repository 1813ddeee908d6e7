import type { Resource } from "../../api/documents.ts";
import { nounOf } from "../../checks/kinds.ts";
import type { CheckKind } from "../../domain/findings/findings.ts";
import type { Api } from "../api.ts";
import { type CommonIssueType, ruleOf } from "../parts/finding.ts";
import type { ListedRule } from "../parts/rules-list.ts";
import { type First, readFirst } from "./lists.ts";

type Message = Resource<CommonIssueType>;

/** A number, which is a minimum if not everything was read. */
export type Amount = { number: number; isLeast: boolean };

/** A rule with its findings, over all of its messages. */
export type RuleFindings = ListedRule & {
  anchor: string;
  pages: Amount;
  /** Of the guide to it, and of the standard. */
  guide: string | null;
  helpUrl: string | null;
  messageIds: readonly string[];
};

/** The rules of an engine, the worst first. */
export type RulesOfKind = { kind: CheckKind; rules: readonly RuleFindings[]; total: Amount };

/**
 * Groups messages by rule: some rules have several.
 *
 * @param numPages how many pages the report has: no rule is found on more
 */
export function rulesOf(kind: CheckKind, { data, total }: First<Message["type"]>, numPages: number): RulesOfKind {
  const byRule = Map.groupBy(data, ({ id, attributes }) => attributes.rule ?? `message ${id}`);
  const rules = [...byRule.values()].flatMap((messages, index) => {
    const [first] = messages;
    return first ? [findingsOf(kind, first, messages, { anchor: `${kind}-${index + 1}`, numPages })] : [];
  });
  return { kind, rules, total: { number: rules.length, isLeast: total > data.length } };
}

function findingsOf(
  kind: CheckKind,
  first: Message,
  messages: readonly Message[],
  { anchor, numPages }: { anchor: string; numPages: number },
): RuleFindings {
  const rule = ruleOf(kind, first.attributes);
  // It is not known here which pages the messages have in common.
  const pages = Math.max(...messages.map(({ attributes }) => attributes.num_pages));
  return {
    ...rule,
    anchor,
    title: messages.length === 1 ? rule.title : (rule.rule ?? rule.title),
    how_many: messages.reduce((sum, { attributes }) => sum + attributes.how_many, 0),
    num_pages: pages,
    states: messages.length === 1 ? first.attributes.states : null,
    roles: messages.length === 1 ? first.attributes.roles : null,
    pages: { number: pages, isLeast: messages.length > 1 && pages < numPages },
    guide: first.attributes.description_html,
    helpUrl: first.attributes.help_url,
    messageIds: messages.map(({ id }) => id),
  };
}

/** The first of all kinds' rules. @param most how many rules are shown */
export function firstRules(kinds: readonly RulesOfKind[], most: number): RulesOfKind[] {
  let left = most;
  return kinds.map((ofKind) => {
    const rules = ofKind.rules.slice(0, left);
    left -= rules.length;
    return { ...ofKind, rules };
  });
}

const MAX_PAGES = 50;
/** The most messages of a rule whose pages are listed: a rule may have a message for every wrong word. */
const MAX_LISTS = 20;

/** The first pages on which a rule is found, with any of its messages, and how many there are. */
export async function pagesOf(
  api: Pick<Api, "get">,
  root: string,
  { kind, messageIds, pages }: RuleFindings,
): Promise<{ urls: string[]; total: Amount }> {
  const found = new Map<string, string>();
  let isWhole = messageIds.length <= MAX_LISTS;
  for (const id of messageIds.slice(0, MAX_LISTS)) {
    const query = { [`filter[common_${nounOf(kind)}_issue_id]`]: id };
    const { data, total } = await readFirst<"web_page">(api, `${root}/web_pages`, query, MAX_PAGES);
    for (const page of data) found.set(page.id, page.attributes.url);
    isWhole &&= total === data.length;
    if (found.size > MAX_PAGES) break;
  }
  const urls = [...found.values()].slice(0, MAX_PAGES);
  if (!pages.isLeast) return { urls, total: pages };
  const isLeast = !isWhole || found.size > MAX_PAGES;
  return { urls, total: { number: Math.max(found.size, pages.number), isLeast } };
}
