import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { checkKinds } from "../../checks/kinds.ts";
import { ownStates } from "../../domain/findings/finding-state.ts";
import { impacts } from "../../domain/findings/findings.ts";
import { type Role, roles } from "../../domain/findings/role.ts";
import { type Standard, standards, tagsOfStandard } from "../../domain/findings/standards.ts";
import type { Guides } from "../../domain/guides/guides.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, View } from "../page.ts";
import { mayWrite } from "../parts/access.ts";
import { chips, chosenCriterion } from "../parts/chips.ts";
import { componentItem } from "../parts/component-item.ts";
import { crop } from "../parts/crop.ts";
import { titleOf } from "../parts/finding.ts";
import { input, select } from "../parts/form.ts";
import { guideText } from "../parts/guide-text.ts";
import { icon } from "../parts/icon.ts";
import { isOwned, reportPath, reportRoutes } from "../parts/report.ts";
import { roleName } from "../parts/report-cards.ts";
import { readFrame } from "../parts/report-head.ts";
import { outsideOf } from "../parts/report-sections.ts";
import { rulesList } from "../parts/rules-list.ts";
import { pageQuery, pagination } from "../parts/table.ts";
import { empty } from "../parts/text.ts";
import { unknownValues } from "../parts/unknown-values.ts";
import { wayBack } from "../parts/way-back.ts";
import { texts } from "../texts/en.ts";

const t = texts.issues;
/** Of as many elements, those on the most pages, a row shows its own: so many are stored when a report ends. */
const MAX_COMPONENTS = 100;
/** As many folders of a site can be chosen, those with the most errors. */
const MAX_PARTS = 100;

export const issuesPages = reportRoutes("/issues", read);

/** The filters with a few values, as they are called and what these are. */
const known = {
  kind: { label: t.engine, values: checkKinds },
  state: { label: t.state, values: ownStates },
  impact: { label: t.impact, values: impacts },
  type: { label: t.type, values: ["error", "warning", "outside"] as const },
  standard: { label: t.standard, values: Object.keys(standards) as Standard[] },
  role: { label: t.role, values: Object.keys(roles) as Role[] },
  sort: { label: t.sort, values: ["how_many", "pages", "impact"] as const },
};

/** The filters in an address. Unknown values are ignored. */
function filtersOf({ query }: PageContext) {
  const choice = <Name extends keyof typeof known>(name: Name) =>
    (known[name].values as readonly (typeof known)[Name]["values"][number][]).find(
      (value) => value === query.get(name),
    );
  return {
    kind: choice("kind"),
    state: choice("state"),
    impact: choice("impact"),
    type: choice("type"),
    standard: choice("standard"),
    role: choice("role"),
    sort: choice("sort"),
    path: query.get("path") ?? undefined,
    criterion: /^\d+[.]\d+[.]\d+$/.exec(query.get("criterion") ?? "")?.[0],
    text: query.get("text") ?? "",
    muted: query.has("muted"),
  };
}
/** The tag of issues about a success criterion, such as wcag143. */
function tagOf(criterion: string): string {
  return `wcag${criterion.replaceAll(".", "")}`;
}
type Filters = ReturnType<typeof filtersOf>;
type Counts = List<"report_rule">["meta"]["counts"];

async function read(context: PageContext): Promise<View> {
  const { api, params, query } = context;
  const report = `/reports/${params.report_id}`;
  const filters = filtersOf(context);
  const { data } = await api.get<One<"report">>(report);
  const shared = {
    "filter[state]": filters.state,
    "filter[issue_type]": filters.type === "outside" ? undefined : filters.type,
    "filter[role]": filters.role,
    "filter[path]": filters.path,
    "filter[muted]": filters.muted ? "true" : undefined,
  };
  const tags = filters.criterion ? [tagOf(filters.criterion)] : filters.standard && tagsOfStandard(filters.standard);
  const tagged = tags && { "filter[tags][mode]": "any", "filter[tags][list]": tags.join(",") };
  const outside = filters.type === "outside";
  const rulesOf = (more: Record<string, string | undefined>) =>
    api.get<List<"report_rule">>(`${report}/rules`, {
      ...{ ...shared, ...tagged, "filter[impact]": filters.impact, "filter[message]": filters.text },
      "filter[kind]": filters.kind,
      ...{ "filter[outside_standard]": outside ? "true" : undefined, ...more },
    });
  const rules = await rulesOf({ sort: `${filters.sort ?? "how_many"}-desc`, group: "topic", ...pageQuery(query) });
  const { counts, how_many, total } = rules.meta;
  const { data: parts } = await api.get<List<"section">>(`${report}/sections`, { "page[size]": String(MAX_PARTS) });
  // Without any filter they are stored, and with all elements on the same scale; a row takes those of its rules.
  const components =
    filters.text === "" && total > 0
      ? await api.get<List<"component">>(`${report}/components`, {
          ...{ ...shared, "filter[impact]": filters.impact, "filter[kind]": filters.kind },
          "page[size]": String(MAX_COMPONENTS),
        })
      : { data: [] };
  const row = {
    components: byRule(components),
    guides: await context.guides(),
    owned: isOwned(context, data.attributes),
  };
  const { tabs, ...frame } = await readFrame(context, data.attributes, "issues");
  const content = html`<div>
    ${tabs}
    ${unknownValues(context, known)}
    <div class="card flush">${filterForm(context, data.attributes, filters, { counts, parts: parts.map(({ attributes }) => attributes.path) })}</div>
    ${
      total === 0
        ? empty(t.none, t.noneWhat)
        : rulesList(
            {
              id: "rules",
              title: t.found(total, how_many, filters.type),
              below: pagination(context, t.title, rules.meta),
            },
            rules.data,
            {
              inside: (rule) => inside(context, rule, row),
            },
          )
    }
    ${besides(context, filters, counts)}
  </div>`;
  return { ...frame, title: `${t.title}: ${data.attributes.starting_url}`, content };
}

/** What can be chosen, with how much the list then has; and words to look for. */
function filterForm(
  context: PageContext,
  report: Attributes<"report">,
  { standard, text, muted, path: part, sort }: Filters,
  { counts, parts }: { counts: Counts; parts: readonly string[] },
): Html {
  const path = reportPath(context, "/issues");
  const { query } = context;
  const kept = ["kind", "state", "impact", "type", "role", "criterion", "muted"].flatMap((name) => {
    const value = query.get(name);
    return value ? [html`<input type="hidden" name=${name} value=${value} />`] : [];
  });
  const all = { value: "", label: t.all };
  const performed = checkKinds.filter((kind) => report.checks[kind]);
  return html`<div class="grid tools close">
    <form class="filters" method="get" action=${context.href(path)} aria-label=${t.filters}>
      ${kept} ${input({ name: "text", label: t.text, value: text, required: false, bare: true })}
      ${select({
        name: "standard",
        label: t.standard,
        value: standard ?? "",
        options: [
          all,
          ...(Object.keys(standards) as Standard[]).map((value) => ({ value, label: t.standards[value] })),
        ],
      })}
      ${
        (part !== undefined || parts.length > 1) &&
        select({
          name: "path",
          label: t.path,
          value: part ?? "",
          options: [
            { value: "", label: texts.report.cards.wholeSite },
            ...[...new Set([...(part === undefined ? [] : [part]), ...parts])]
              .sort()
              .map((value) => ({ value, label: value })),
          ],
        })
      }
      ${select({
        name: "sort",
        label: t.sort,
        value: sort ?? "how_many",
        options: known.sort.values.map((value) => ({ value, label: t.sorts[value] })),
      })}
      <button class="quiet">${t.apply}</button>
      <a class="push" href=${context.href(path)}>${t.reset}</a>
    </form>
    <div class="line">
      ${chips(context, {
        name: "impact",
        label: t.impact,
        values: [...impacts].reverse().map((value) => ({
          value,
          text: html`${icon(value)} ${texts.impacts[value]}`,
          count: counts.impact[value],
        })),
      })}
      ${chips(context, {
        name: "type",
        label: t.type,
        values: [
          { value: "error", text: texts.types.error, count: counts.issue_type.error },
          { value: "warning", text: texts.types.warning, count: counts.issue_type.warning },
          ...(counts.outside_standard > 0 || outsideOf(report) > 0
            ? [{ value: "outside", text: texts.report.outside, count: counts.outside_standard }]
            : []),
        ],
      })}
      ${
        report.comparison &&
        chips(context, {
          name: "state",
          label: t.state,
          values: ownStates.map((value) => ({ value, text: texts.states[value], count: counts.state[value] })),
        })
      }
      ${
        performed.length > 1 &&
        chips(context, {
          name: "kind",
          label: t.engine,
          values: performed.map((value) => ({ value, text: titleOf(value), count: counts.kind[value] })),
        })
      }
      ${
        report.roles &&
        chips(context, {
          name: "role",
          label: t.role,
          values: (Object.keys(roles) as Role[]).map((value) => ({
            value,
            text: roleName(value),
            count: counts.role[value],
          })),
        })
      }
      ${chosenCriterion(context)}
      ${(muted || counts.muted.true > 0) && chips(context, { name: "muted", label: t.muted, values: [{ value: "true", text: t.mutedOnly, count: counts.muted.true }] })}
    </div>
  </div>`;
}

type Components = ReadonlyMap<string, readonly Resource<"component">[]>;
type Rule = Attributes<"report_rule">["rules"][number];
type Of = Pick<Attributes<"report_rule">, "issue_type" | "outside_standard">;

const ruleKey = ({ kind, rule }: Pick<Rule, "kind" | "rule">, { issue_type, outside_standard }: Of) =>
  [kind, rule, issue_type, outside_standard].join(" ");

/** The elements that are on the most pages, by rule. */
function byRule({ data }: Pick<List<"component">, "data">): Components {
  return Map.groupBy(data, ({ attributes }) => ruleKey(attributes, attributes));
}

/** How many elements a row shows before somebody asks for all of them. */
const ELEMENTS = 3;

/** What a row shows when it is open: what is wrong, the rules that find it, and the elements on the most pages. */
function inside(
  context: PageContext,
  { attributes }: Resource<"report_rule">,
  { components, guides, owned }: { components: Components; guides: Guides; owned: boolean },
): Html {
  const muted = context.query.has("muted") ? "true" : undefined;
  const found = attributes.rules.flatMap((rule) => components.get(ruleKey(rule, attributes)) ?? []);
  const shown = found.toSorted((a, b) => b.attributes.num_pages - a.attributes.num_pages).slice(0, ELEMENTS);
  const [what] = attributes.rules.flatMap(({ kind, rule }) => (rule && guides.find(kind, rule)?.parts[0]) || []);
  return html`${what && html`<div class="guide">${guideText(what.html)}</div>`}
    <ul class="rows">
      ${attributes.rules.map((rule) => html`<li class="line near">${ruleLinks(context, rule, { muted, owned })}</li>`)}
    </ul>
    ${shown.length > 0 && html`<ol class="fixes">${shown.map((component) => componentItem(context, component, { crop: crop(context, component), owned }))}</ol>`}`;
}

/** A rule of a row: its own page with all elements and pages, and a form that mutes it. */
function ruleLinks(
  context: PageContext,
  { kind, rule, title, how_many, common_issue_id }: Rule,
  { muted, owned }: { muted: string | undefined; owned: boolean },
): Html {
  const to = context.href(reportPath(context, `/issues/${kind}/${common_issue_id}`), { muted, ...wayBack(context) });
  const mute = { rule: rule ?? undefined, report_id: context.params.report_id, next: context.path };
  const name = `${titleOf(kind)}${rule ? ` ${rule}` : ""}`;
  return html`<span>${titleOf(kind)}${rule && html` <code>${rule}</code>`}: ${texts.count.findings(how_many)}</span>
    <a href=${to} aria-label=${`${t.whole}: ${title}, ${name}`}>${t.whole}</a>
    ${
      rule &&
      owned &&
      !muted &&
      mayWrite(context, "common") &&
      html`<a class="quiet screen" href=${context.href("/mutings/new", mute)} aria-label=${`${t.muteRule}: ${name}`}>${icon("mute")} ${t.muteRule}</a>`
    }`;
}

/** What the list is about that other lists have. */
function besides(context: PageContext, { type }: Filters, counts: Counts): Html {
  const { path, query, href } = context;
  const others = Object.fromEntries([...query].filter(([name]) => !/^(page|done|muted|type)/.test(name)));
  const muted = !query.has("muted") && counts.muted.true > 0;
  const outside = type !== "outside" && counts.outside_standard > 0;
  return (
    (muted || outside) &&
    html`<p class="quiet">
      ${muted && html`${t.mutedLeft(counts.muted.true)} <a href=${href(path, { ...others, muted: "true" })}>${t.showMuted}</a>. `}
      ${outside && html`${t.outsideLeft(counts.outside_standard)} <a href=${href(path, { ...others, type: "outside" })}>${t.showOutside}</a>.`}
    </p>`
  );
}
