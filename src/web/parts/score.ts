import type { Attributes, One } from "../../api/documents.ts";
import { type Role, roles } from "../../domain/findings/role.ts";
import { type LossLevel, lossLevels, MIN_RUNS } from "../../domain/score.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, PageContext } from "../page.ts";
import { formatNumber, formatShare, texts } from "../texts/en.ts";
import { bar } from "./chart.ts";
import { calendarDay } from "./dates.ts";
import { hiddenFields, input, problems } from "./form.ts";
import { icon } from "./icon.ts";
import { roleName } from "./report-cards.ts";
import { shortTime, time } from "./text.ts";

const t = texts.score;
const DAY = 86_400_000;

export type Score = Attributes<"site_score"> & { score: number };

/** The score of the site in the address; undefined before a report of the whole site has ended. */
export async function readScore({ api, params }: PageContext, period: string): Promise<Score | undefined> {
  const { attributes } = (await api.get<One<"site_score">>(`/sites/${params.site_id}/score`, { period })).data;
  const { score } = attributes;
  return score === null ? undefined : { ...attributes, score };
}

/** "70 of 100.", and when the target is reached at the pace of the period, or why nobody knows. */
export function scoreLine({ score, target, after }: Score, days: number): Html {
  return html`<b>${t.ofAll(score)}</b> ${target && expected(score, target, { days, first: after.first })}`;
}

function expected(
  score: number,
  { score: wanted, on, expected_at, reached_at, num_runs, from }: NonNullable<Score["target"]>,
  { days, first }: { days: number; first: readonly number[] },
): Html {
  const early = (at: string) =>
    on === null ? null : Math.floor((Date.parse(`${on}T23:59:59Z`) - Date.parse(`${at}Z`)) / DAY);
  const beside = (number: number | null) => number !== null && `, ${number >= 0 ? t.early(number) : t.late(-number)}`;
  if (score >= wanted)
    return html`${t.reached(wanted)}${reached_at !== null && html` ${t.since} ${shortTime(reached_at, "date")}${beside(early(reached_at))}`}. ${t.next}`;
  if (num_runs < MIN_RUNS) return t.tooLittle(num_runs, days);
  const needed = first.findIndex((reached) => reached >= wanted) + 1;
  const enough = needed > 0 && html` ${t.enough(needed, first.length)}`;
  if (expected_at !== null) {
    const number = early(expected_at);
    const isLate = number !== null && number < 0;
    return html`${isLate && t.notByThen} ${t.expected(wanted)} ${shortTime(expected_at, "date")}${beside(number)}.${isLate && enough}`;
  }
  if (from && score < from.score)
    return html`${t.goesDown(score, from.score)} ${shortTime(from.ended_at, "date")}: ${t.targetMissed(wanted)}${enough}`;
  return html`${t.notReached(wanted)}${enough}`;
}

/** What the score would be once what people have is mended, and what comes first. */
function outlook({ after: { first, assigned }, target }: Score, fixFirst: string): Html {
  const last = first.at(-1);
  if (last === undefined) return null;
  const isAbove = target !== null && last >= target.score;
  return html`<ul class="grid close">
    ${assigned.map(({ assignee, due_on, score }) => html`<li>${icon("person")} ${t.whatTheyHave(assignee)}${due_on && ` ${texts.assignment.until(calendarDay(due_on))}`}: <b>${formatNumber(score)}</b></li>`)}
    <li>${icon(isAbove ? "passed" : "ended")} <a href=${fixFirst}>${texts.report.fixFirst.title}</a>, ${t.allOfFirst(first.length)}: <b>${formatNumber(last)}</b>${isAbove && `, ${t.aboveTarget}`}</li>
  </ul>`;
}

/** What is lost, by level and by role: both add up to the same. */
export function lossCard(score: Score): Html {
  const { points, by_level, by_role, same_pages } = score;
  const rows = (parts: readonly { name: Html; value: number }[]) =>
    parts.map(
      ({ name, value }) =>
        html`<li class="loss"><span>${name}</span>${bar({ value, kind: "quiet" }, Math.max(points, 0.1))}<b class="n">${value > 0 && "−"}${value.toFixed(1)}</b><span class="n quiet">${formatShare(value * 10, points * 10)}</span></li>`,
    );
  return html`<section class="card grid close" aria-labelledby="lost">
    <h2 id="lost">${t.lost(points.toFixed(1))}</h2>
    <h3 class="small quiet">${t.byLevel}</h3>
    <ul class="losses">${rows(lossLevels.filter((level) => by_level[level] > 0 || level === "A").map((level: LossLevel) => ({ name: t.levels[level], value: by_level[level] })))}</ul>
    <h3 class="small quiet">${t.byRole}</h3>
    <ul class="losses">${rows((Object.keys(roles) as Role[]).map((role) => ({ name: roleName(role), value: by_role[role] })))}</ul>
    <p class="small quiet">${t.scores(floorOf(by_level.A), floorOf(by_level.A + by_level.AA), score.score)}</p>
    <p class="small quiet">${t.made}</p>
    ${same_pages && html`<p class="small">${t.samePages(same_pages.pages)} ${time(same_pages.base_ended_at)}: <b>${formatNumber(same_pages.before)}</b> → <b>${formatNumber(same_pages.now)}</b></p>`}
  </section>`;
}

/** The score of what loses so many points, which have one digit. */
function floorOf(points: number): number {
  return Math.floor((1_000 - Math.round(points * 10)) / 10);
}

/** The form that sets the score that a site is to have, and by when. */
export function targetForm(
  context: PageContext,
  { target_score, target_on, latest_whole }: Pick<Attributes<"site">, "target_score" | "target_on" | "latest_whole">,
  { score, attempt }: { score: Score | undefined; attempt?: Attempt | undefined },
): Html {
  return html`<form class="card grid close screen" method="post" action=${context.href(`/sites/${context.params.site_id}`)} aria-label=${t.target}>
    ${hiddenFields(context)}
    <h2>${t.target}</h2>
    ${problems(attempt, ["target_score", "target_on"])}
    <div class="row">
      ${input({ name: "target_score", label: t.targetScore, type: "number", min: 1, max: 100, value: target_score == null ? "" : String(target_score), attempt })}
      ${input({ name: "target_on", label: t.targetOn, type: "date", value: target_on ?? "", attempt })}
    </div>
    ${target_score != null && target_on != null && html`<p class="quiet">${t.by(target_score, calendarDay(target_on))}</p>`}
    <p><button class="quiet">${t.save}</button></p>
    ${score && latest_whole && outlook(score, context.href(`/reports/${latest_whole.id}`))}
  </form>`;
}
