import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { type CheckKind, checkKinds, nounOf, worstFirst } from "../../checks/kinds.ts";
import type { Box } from "../../domain/findings/box.ts";
import type { Coordinates } from "../../domain/findings/findings.ts";
import { type Html, html } from "../html.ts";
import type { FormRoute, PageContext, PageRoute, View } from "../page.ts";
import {
  criteria,
  type PageIssueType,
  type Rule,
  ruleOf,
  snippet,
  sortOf,
  titleOf,
  typeBadge,
} from "../parts/finding.ts";
import { actionForm } from "../parts/form.ts";
import { icon } from "../parts/icon.ts";
import { linkedFrom } from "../parts/linked-from.ts";
import { isOwned, reportPath, reportRoutes } from "../parts/report.ts";
import { frameBelow } from "../parts/report-head.ts";
import { pageQuery, pagination } from "../parts/table.ts";
import { badge, externalLink, time } from "../parts/text.ts";
import { readSource, type ShownSource } from "../source/source-section.ts";
import { texts } from "../texts/en.ts";

const t = texts.page;

export const pageRoutes: readonly PageRoute[] = [
  ...reportRoutes("/pages/:page_id", read),
  ...reportRoutes("/pages/:page_id/screenshot", async ({ params }) => ({
    forward: { path: `/reports/${params.report_id}/web_pages/${params.page_id}/screenshot` },
  })),
];

export const webPageForms: readonly FormRoute[] = [
  {
    path: "/reports/:report_id/pages/:page_id/again",
    access: "account",
    submit: async ({ api, params, href }) => {
      await api.patch(`/reports/${params.report_id}/web_pages/${params.page_id}`, { status: "pending" });
      return { redirect: href(`/reports/${params.report_id}/pages/${params.page_id}`, { done: "queued" }) };
    },
  },
];

type Element = Attributes<PageIssueType>["html"][number];
/** An issue of the page, and its elements with their numbers on it. */
type Listed = Rule & {
  key: string;
  helpUrl: string | null;
  elements: { number: number; element: Element }[];
  left: number;
};

async function read(context: PageContext): Promise<View> {
  const { api, params, query } = context;
  const root = `/reports/${params.report_id}`;
  const { data: report } = await api.get<One<"report">>(root);
  const below = `${root}/web_pages/${params.page_id}`;
  const { data: page } = await api.get<One<"web_page">>(below);
  const lists: { kind: CheckKind; issues: List<PageIssueType> }[] = [];
  for (const kind of worstFirst) {
    const sorted = { sort: sortOf(kind), ...pageQuery(query, 50, kind) };
    lists.push({ kind, issues: await api.get<List<PageIssueType>>(`${below}/${nounOf(kind)}_issues`, sorted) });
  }
  let number = 0;
  const numbered = (elements: readonly Element[]) => elements.map((element) => ({ number: ++number, element }));
  const found = lists.flatMap(({ kind, issues }) =>
    issues.data.map((issue): Listed => ({ ...listedOf(kind, issue), elements: numbered(issue.attributes.html) })),
  );
  const source = await readSource(
    context,
    page,
    found.flatMap(({ elements }) => elements),
  );
  const picture = screenshot(context, page, found);
  const waits = page.attributes.status === "pending" || page.attributes.status === "checking";
  const hasPicture = page.relationships?.screenshot !== undefined && page.attributes.screenshot_size != null;
  const again =
    isOwned(context, report.attributes) &&
    actionForm(context, `${root}/pages/${page.id}/again`, html`${icon("again")} ${t.again}`, { quiet: true });
  const { tabs, ...frame } = frameBelow(context, report.attributes, "pages", again);
  const content = html`<div>
    ${tabs} ${facts(page)}
    ${waits && [html`<p class="quiet when-script" role="status">${t.live}</p>`, html`<noscript><p class="quiet">${t.liveWithout}</p></noscript>`]}
    <div class="beside">
      <section class="card grid" aria-labelledby="findings">
        <h2 id="findings">${t.findings}</h2>
        ${
          found.length === 0
            ? html`<p>${page.attributes.status === "checked" ? t.noFindings : page.attributes.status === "failed" ? t.notChecked : t.notYet}</p>`
            : found.map((issue) => listed(issue, { hasPicture, source }))
        }
        ${lists.map(({ kind, issues }) => pagination(context, titleOf(kind), issues.meta, { name: kind, size: 50, section: "findings" }))}
      </section>
      ${picture ?? source?.section}
    </div>
    ${picture && source?.section}
  </div>`;
  const live = waits ? context.href(reportPath(context, "/events")) : undefined;
  return { ...frame, title: page.attributes.url, content, live };
}

function listedOf(kind: CheckKind, { id, attributes: issue }: Resource<PageIssueType>): Omit<Listed, "elements"> {
  const rule = ruleOf(kind, issue);
  const helpUrl = issue.guide_url ?? issue.help_url;
  return { ...rule, key: `${rule.kind}-${id}`, helpUrl, left: issue.how_many - issue.html.length };
}

function facts({ attributes: page }: Resource<"web_page">): Html {
  const checks = checkKinds.map((kind) => page[`${nounOf(kind)}_check`]);
  const from = linkedFrom(page, externalLink);
  const failures = new Set(checks.flatMap((check) => check?.failure?.detail ?? check?.failure?.code ?? []));
  return html`<ul class="line">
    <li>${badge(texts.pages.status[page.status], page.status === "failed" ? "bad" : "plain")}</li>
    <li>${externalLink(page.url, t.open)}</li>
    ${from && html`<li><span class="quiet">${t.linkedFrom}</span> ${from}</li>`}
    ${page.last_checked_at && html`<li><span class="quiet">${t.checkedAt}</span> ${time(page.last_checked_at)}</li>`}
    ${[...failures].map((detail) => html`<li>${detail}</li>`)}
  </ul>`;
}

type Shown = { hasPicture: boolean; source: ShownSource | undefined };

function listed(issue: Listed, { hasPicture, source }: Shown): Html {
  return html`<article class="finding" aria-labelledby=${issue.key}>
    <h3 id=${issue.key}>${issue.title}</h3>
    <p>
      ${typeBadge(issue.type, issue.outside)} ${issue.impact && badge(texts.impacts[issue.impact], "plain")}
      ${issue.rule && html`<code>${issue.rule}</code>`}
      ${issue.criteria.length > 0 ? html` <span class="quiet">${criteria(issue.criteria)}</span>` : null}
      ${issue.helpUrl && html` ${externalLink(issue.helpUrl, texts.issue.howToFix)}`}
    </p>
    <ol class="elements">
      ${issue.elements.map(
        ({ number, element }) =>
          html`<li id=${`finding-${number}`} value=${number} tabindex="-1">
            ${
              "coordinates" in element && element.coordinates
                ? html`<p class="quiet">${lineOf(element.coordinates, source)}</p>
                  ${snippet(element.extract, { start: element.coordinates.hilite_start, length: element.coordinates.hilite_length })}`
                : snippet(element.extract)
            }
            ${
              "target" in element &&
              html`<p class="quiet">
                <code>${element.target}</code>${"box" in element && element.box && hasPicture ? html` <a href=${`#box-${number}`}>${t.inScreenshot}</a>` : null}
              </p>`
            }
            ${"failure_summary" in element && element.failure_summary && html`<p class="fix">${element.failure_summary}</p>`}
          </li>`,
      )}
    </ol>
    ${issue.left > 0 && html`<p class="quiet">${texts.count.others(issue.left)}</p>`}
  </article>`;
}

/** The line of a finding, as a link if the page shows that line. */
function lineOf(coordinates: Coordinates, source: ShownSource | undefined): Html {
  const text = texts.issue.line(coordinates.first_line, coordinates.first_column);
  const to = source?.linkTo(coordinates);
  return to === undefined ? text : html`<a href=${to}>${text}</a>`;
}

/** The stored screenshot, with an outline and a number for each finding that is visible in it. */
function screenshot(
  context: PageContext,
  { id, attributes, relationships }: Resource<"web_page">,
  found: readonly Listed[],
): Html {
  if (!relationships?.screenshot) return null;
  const source = context.href(reportPath(context, `/pages/${id}/screenshot`));
  const size = attributes.screenshot_size;
  return html`<section class="card grid" aria-labelledby="screenshot">
    <h2 id="screenshot">${t.screenshot}</h2>
    <div class="screenshot" role="group" tabindex="0" aria-labelledby="screenshot">
      <div class="outlined">
        <img src=${source} alt=${t.screenshotAlt(attributes.url)} width=${size?.width} height=${size?.height} loading="lazy" />
        ${size && outlines(placed(found, size), size)}
      </div>
    </div>
  </section>`;
}

/** An element in the picture, and the place of its number, which avoids the numbers of other elements. */
type Placed = { number: number; box: Box; label: { x: number; y: number } };

/** More outlines would hide the picture. */
const MAX_OUTLINES = 200;
const LABEL = { width: 32, height: 20 };

/** The elements that the picture shows: those below its end are left out. */
function placed(found: readonly Listed[], size: { width: number; height: number }): Placed[] {
  const taken: Placed["label"][] = [];
  const isTaken = ({ x, y }: Placed["label"]) =>
    taken.some((label) => Math.abs(label.x - x) < LABEL.width && Math.abs(label.y - y) < LABEL.height);
  return found.flatMap(({ elements }) =>
    elements.flatMap(({ number, element }): Placed[] => {
      if (taken.length >= MAX_OUTLINES) return [];
      const box = "box" in element ? element.box : undefined;
      if (!box || box.y >= size.height || box.x >= size.width) return [];
      const label = { x: box.x, y: Math.max(0, box.y - LABEL.height) };
      while (isTaken(label)) label.x += LABEL.width;
      taken.push(label);
      return [{ number, box, label }];
    }),
  );
}

/** Links from the outlines to the findings, over the picture. */
function outlines(elements: readonly Placed[], { width, height }: { width: number; height: number }): Html {
  if (elements.length === 0) return null;
  return html`<svg viewBox=${`0 0 ${width} ${height}`}>
    ${elements.map(
      ({ number, box }) =>
        html`<a class="box" id=${`box-${number}`} href=${`#finding-${number}`} aria-label=${t.box(number)}>
          <rect x=${box.x} y=${box.y} width=${Math.max(1, box.width)} height=${Math.max(1, box.height)} />
        </a>`,
    )}
    <g class="labels" aria-hidden="true">
      ${elements.map(
        ({ number, label }) =>
          html`<foreignObject x=${label.x} y=${label.y} width=${LABEL.width} height=${LABEL.height}>
            <span>${number}</span>
          </foreignObject>`,
      )}
    </g>
  </svg>`;
}
