import type { Attributes, One } from "../../api/documents.ts";
import { type Role, roles } from "../../domain/findings/role.ts";
import { type LossLevel, lossLevels } from "../../domain/score.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, PageContext } from "../page.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { bar } from "./chart.ts";
import { calendarDay } from "./dates.ts";
import { hiddenFields, input, problems } from "./form.ts";
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

/** "70 of 100.", and when the target is reached at the pace of the period. */
export function scoreLine({ score, target }: Score): Html {
  return html`<b>${t.ofAll(score)}</b> ${target && expected(score, target)}`;
}

function expected(score: number, { score: wanted, on, expected_at }: NonNullable<Score["target"]>): Html {
  if (score >= wanted) return t.reached(wanted);
  if (expected_at === null) return t.notReached(wanted);
  const early = on === null ? null : Math.floor((Date.parse(`${on}T23:59:59Z`) - Date.parse(`${expected_at}Z`)) / DAY);
  return html`${t.expected(wanted)} ${shortTime(expected_at, "date")}${early !== null && `, ${early >= 0 ? t.early(early) : t.late(-early)}`}.`;
}

/** What is lost, by level and by role: both add up to the same. */
export function lossCard(score: Score): Html {
  const { points, by_level, by_role, same_pages } = score;
  const rows = (parts: readonly { name: Html; value: number }[]) =>
    parts.map(
      ({ name, value }) =>
        html`<li class="loss"><span>${name}</span>${bar({ value, kind: "quiet" }, Math.max(points, 0.1))}<b class="n">${value > 0 && "−"}${value.toFixed(1)}</b></li>`,
    );
  return html`<section class="card grid close" aria-labelledby="lost">
    <h2 id="lost">${t.lost(points.toFixed(1))}</h2>
    <h3 class="small quiet">${t.byLevel}</h3>
    <ul class="losses">${rows(lossLevels.filter((level) => by_level[level] > 0 || level === "A").map((level: LossLevel) => ({ name: t.levels[level], value: by_level[level] })))}</ul>
    <h3 class="small quiet">${t.byRole}</h3>
    <ul class="losses">${rows((Object.keys(roles) as Role[]).map((role) => ({ name: roleName(role), value: by_role[role] })))}</ul>
    <p class="small quiet">${t.made}</p>
    ${same_pages && html`<p class="small">${t.samePages(same_pages.pages)} ${time(same_pages.base_ended_at)}: <b>${formatNumber(same_pages.before)}</b> → <b>${formatNumber(same_pages.now)}</b></p>`}
  </section>`;
}

/** The form that sets the score that a site is to have, and by when. */
export function targetForm(
  context: PageContext,
  { target_score, target_on }: Pick<Attributes<"site">, "target_score" | "target_on">,
  attempt?: Attempt,
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
  </form>`;
}
