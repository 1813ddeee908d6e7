import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Attributes, One } from "../api/documents.ts";
import { nounOf, worstFirst } from "../checks/kinds.ts";
import { type Html, html, render } from "./html.ts";
import { type CommonIssueType, sortOf } from "./parts/finding.ts";
import { address, externalLink } from "./parts/text.ts";
import { readFirst, type Source } from "./report-file/lists.ts";
import { firstRules, pagesOf, type RulesOfKind, rulesOf } from "./report-file/rules.ts";
import { components, failures, head, muted, overview, ruleSection } from "./report-file/sections.ts";
import { texts } from "./texts/en.ts";

/** People read the file: messages and rules beyond these numbers are only counted. */
const MAX_MESSAGES = 1_000;
const MAX_RULES = 300;
const MAX_ELEMENTS = 20;
const MAX_COMPONENTS = 20;
const MAX_FAILED = 500;
const MAX_MUTINGS = 500;

/**
 * A report that has ended as one HTML file, piece by piece. The file loads nothing, needs no script and can be printed.
 * It is never in memory as a whole.
 *
 * @param options.now when the file is made
 * @param options.linksToPages whether the site will still be where it was checked
 */
export async function* reportFile(
  source: Source,
  reportId: string,
  { now, linksToPages }: { now: Date; linksToPages: boolean },
): AsyncGenerator<string> {
  const linkTo = linksToPages ? (url: string) => externalLink(url) : (url: string) => address(url);
  const root = `/reports/${reportId}`;
  const { data } = await source.get<One<"report">>(root);
  const report = data.attributes;
  const kinds = await rulesIn(source, root, report);
  const shown = firstRules(kinds, MAX_RULES);
  const style = await readFile(new URL("./assets/style.css", import.meta.url), "utf8");
  const digest = createHash("sha256").update(style).digest("base64");
  yield `<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${digest}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${render(html`<title>${report.starting_url} – ${texts.product}</title>`)}
<style>${style}</style>
</head>
<body>
<main>
`;
  yield part(head(report, shown, now, linksToPages));
  yield part(overview(shown));
  if (report.num_pages > 1)
    yield part(components(await readFirst<"component">(source, `${root}/components`, {}, MAX_COMPONENTS)));
  for (const rule of shown.flatMap(({ rules }) => rules)) {
    const query = { "filter[rule]": rule.rule ?? "" };
    const found = rule.rule
      ? await readFirst<"component">(source, `${root}/components`, query, MAX_ELEMENTS)
      : { data: [], total: 0 };
    yield part(ruleSection(rule, found, await pagesOf(source, root, rule), linkTo));
  }
  const failed = { "filter[status]": "failed" };
  yield part(failures(await readFirst<"web_page">(source, `${root}/web_pages`, failed, MAX_FAILED)));
  yield part(muted(await readFirst<"muting">(source, `${root}/mutings`, {}, MAX_MUTINGS)));
  yield "</main>\n</body>\n</html>\n";
}

async function rulesIn(
  source: Source,
  root: string,
  { checks, num_pages }: Attributes<"report">,
): Promise<RulesOfKind[]> {
  const kinds: RulesOfKind[] = [];
  for (const kind of worstFirst.filter((performed) => checks[performed])) {
    const query = { sort: sortOf(kind) };
    const found = await readFirst<CommonIssueType>(
      source,
      `${root}/common_${nounOf(kind)}_issues`,
      query,
      MAX_MESSAGES,
    );
    kinds.push(rulesOf(kind, found, num_pages));
  }
  return kinds;
}

function part(content: Html): string {
  return `${render(content)}\n`;
}
