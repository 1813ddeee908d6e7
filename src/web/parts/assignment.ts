import type { Attributes, List } from "../../api/documents.ts";
import { readAll } from "../api.ts";
import { textIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, Fields, PageContext } from "../page.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { bar } from "./chart.ts";
import { calendarDay } from "./dates.ts";
import { hiddenFields, input, problems } from "./form.ts";
import { icon } from "./icon.ts";
import { reportPath } from "./report.ts";

const t = texts.assignment;

type Cause = Attributes<"cause">;
type Assignment = NonNullable<Cause["assignment"]>;
/** Who has how much of a report. */
type Share = List<"cause">["meta"]["assignees"][number];

const DAY = 86_400_000;

function daysLate(due_on: string, now: Date): number {
  return Math.floor((now.getTime() - new Date(`${due_on}T00:00:00Z`).getTime()) / DAY);
}

/** The name of who has something, and that nobody is there any more. */
export function holderName({ assignee, is_left }: Pick<Assignment, "assignee" | "is_left">): string {
  return is_left ? t.left(assignee) : assignee;
}

/** Until when, and by how many days it is late. */
export function until({ state, due_on }: Pick<Assignment, "state" | "due_on">, now: Date): Html {
  if (state === "done") return t.saidDone;
  if (state === "seen_again") return html`<span class="bad">${t.seenAgain}</span>`;
  if (due_on === null) return null;
  if (state !== "late") return t.until(calendarDay(due_on));
  return html`<span class="bad">${t.late(daysLate(due_on, now))}</span>`;
}

/** A sentence that says who has a cause, with a link to change that. @param to where that is done */
export function whoHasIt(
  { now }: PageContext,
  { assignment, title }: Pick<Cause, "assignment" | "title">,
  to: string,
): Html {
  const link = (text: string) =>
    html`<span class="screen"><a href=${`${to}#who`} aria-label=${`${text}: ${title}`}>${text}</a></span>`;
  if (!assignment) return html`<p>${t.nobody} ${link(t.take)}</p>`;
  const { state, of } = assignment;
  const words = html`${icon(state === "done" ? "running" : "person")} ${hasIt(assignment, now)}`;
  return state === "open"
    ? html`<p>${words}; ${t.notTaken} ${link(t.take)}</p>`
    : html`<p>${words}. ${link(of === "cause" ? t.change : t.take)}</p>`;
}

function hasIt(assignment: Assignment, now: Date): Html {
  const { state, due_on, of, path } = assignment;
  const who = holderName(assignment);
  const what = of === "cause" ? t.it : of === "site" || path === null ? t.theSite : t.theSection(path);
  const end = until(assignment, now);
  if (state === "done" || state === "seen_again") return html`${who}: ${end}`;
  if (state === "late" && due_on !== null) return html`${t.had(who, what, calendarDay(due_on))} <b>${end}</b>`;
  return html`${t.has(who, what)}${end && ", "}${end}`;
}

/** How many choices stand one below the other; more are in one list. */
const MAX_RADIOS = 8;
const OTHER = "other";
/** Who has it stays: somebody who was removed, or may not be chosen any more. */
const KEEP = "keep";

/** What the form of who has something sends, as attributes of the API. */
export function holderIn(fields: Fields): Record<string, unknown> {
  const who = textIn(fields, "who") ?? OTHER;
  if (who === KEEP) return {};
  const [, kind, id = ""] = /^(person|team|name):(.*)$/.exec(who) ?? [];
  if (kind === "name") return { assignee: id };
  return kind ? { [`${kind}_id`]: id } : { assignee: textIn(fields, "assignee") ?? "" };
}

/** What was said with who has it. */
export function saidIn(fields: Fields): Record<string, unknown> {
  const act = fields.get("act");
  return {
    ...holderIn(fields),
    due_on: textIn(fields, "due_on") || null,
    note: textIn(fields, "note") || null,
    // Who saves a note has not said that it is not done.
    ...(act === "done" && { done: true }),
    ...(act === "again" && { done: false }),
  };
}

type Choice = { value: string; label: string; what: string; mine?: boolean };

/** People and teams of the account, the own ones first, and names that have something already. */
async function choices({ api }: PageContext, current: Assignment | null, shares: readonly Share[]): Promise<Choice[]> {
  const data = await readAll<"assignee">(api, "/assignees");
  const has = (is: (share: Share) => boolean) => {
    const theirs = shares.filter((share) => is(share) && share.state !== "done");
    const causes = theirs.reduce((sum, { causes: some }) => sum + some, 0);
    const last = theirs
      .flatMap(({ due_on }) => due_on ?? [])
      .toSorted()
      .at(-1);
    return causes === 0 ? "" : t.hasCauses(causes, last === undefined ? null : calendarDay(last));
  };
  const known = data
    .toSorted((a, b) => Number(b.attributes.mine) - Number(a.attributes.mine))
    .map(({ id, attributes: { kind, name, mine, num_members } }): Choice => {
      const label = !mine ? name : kind === "person" ? t.me(name) : t.myTeam(name);
      const share = has(({ person_id, team_id }) => (kind === "person" ? person_id : team_id) === id);
      const members = num_members === null ? "" : t.members(num_members);
      return { value: `${kind}:${id}`, label, what: share || members, mine };
    });
  const names = [current?.holder === "name" ? current.assignee : [], shares.flatMap(nameIn)].flat();
  const typed = [...new Set(names)].map((name): Choice => {
    return { value: `name:${name}`, label: name, what: has((share) => nameIn(share).includes(name)) };
  });
  const all = [...known, ...typed];
  // Whoever has it and cannot be chosen any more stays, unless somebody else is chosen.
  const isListed = current === null || all.some(({ value }) => value === choiceOf(current));
  return isListed ? all : [{ value: KEEP, label: holderName(current), what: "" }, ...all];
}

function nameIn({ holder, assignee }: Share): string[] {
  return holder === "name" && assignee !== null ? [assignee] : [];
}

function choiceOf(assignment: Assignment): string {
  const { holder, person_id, team_id, assignee } = assignment;
  const id = person_id ?? team_id;
  return holder === "name" ? `name:${assignee}` : id === null ? "" : `${holder}:${id}`;
}

/**
 * The form that says who has something, until when, and that it is done.
 *
 * @param of what it is said of, and who has how much there
 */
export async function assignmentForm(
  context: PageContext,
  of: {
    action: string;
    title: string;
    heading: string;
    assignment: Assignment | null;
    shares: readonly Share[];
    fields?: Html;
    /** Whether it also says that nobody has it any more. */
    canLeave?: boolean;
  },
  attempt?: Attempt,
): Promise<Html> {
  const { action, title, heading, assignment, shares, fields, canLeave = true } = of;
  const list = await choices(context, assignment, shares);
  const self = list.find(({ mine }) => mine)?.value ?? OTHER;
  const has = assignment && (list.some(({ value }) => value === KEEP) ? KEEP : choiceOf(assignment));
  const chosen = attempt ? (attempt.fields.get("who") ?? OTHER) : (has ?? self);
  const isDone = assignment?.state === "done" || assignment?.state === "seen_again";
  return html`<form id="who" class="card grid screen" method="post" action=${context.href(action)} aria-label=${title}>
    ${hiddenFields(context)} ${fields}
    <h2>${heading}</h2>
    ${problems(attempt, ["assignee", "due_on", "note"])}
    <div class="grid pair">
      <div class="grid">
        ${list.length > 0 && whoField(list, chosen)}
        ${input({ name: "assignee", label: t.assignee, help: t.assigneeHelp, value: "", bare: list.length > 0, required: list.length === 0, attempt })}
      </div>
      <div class="grid">
        ${input({ name: "due_on", label: t.dueOn, help: t.dueOnHelp, type: "date", value: assignment?.due_on ?? "", attempt })}
        ${input({ name: "note", label: t.note, help: t.noteHelp, rows: 2, value: assignment?.note ?? "", attempt })}
      </div>
    </div>
    <p class="line near">
      <button name="act" value="save">${t.save}</button>
      ${assignment && assignment.state !== "done" && html`<button class="quiet" name="act" value="done">${t.done}</button>`}
      ${assignment && isDone && html`<button class="quiet" name="act" value="again">${t.again}</button>`}
      ${assignment && canLeave && html`<button class="quiet" name="act" value="leave" formnovalidate>${t.leave}</button>`}
    </p>
    ${isDone && html`<p class="quiet">${t.doneMeans}</p>`}
  </form>`;
}

function whoField(list: readonly Choice[], chosen: string): Html {
  const all = [...list, { value: OTHER, label: t.somebodyElse, what: "" }];
  if (all.length > MAX_RADIOS)
    return html`<div class="field"><label for="field-who">${t.who}</label>
      <select id="field-who" name="who">
        ${all.map(({ value, label, what }) => html`<option value=${value} selected=${value === chosen || undefined}>${what ? `${label} (${what})` : label}</option>`)}
      </select></div>`;
  return html`<fieldset class="grid close"><legend>${t.who}</legend>
    <div class="grid close">
      ${all.map(
        ({ value, label, what }) =>
          html`<label class="choice"><input type="radio" name="who" value=${value} checked=${value === chosen || undefined} /><span>${label} ${what && html`<span class="small quiet">${what}</span>`}</span></label>`,
      )}
    </div>
  </fieldset>`;
}

function inState(name: string, state: Share["state"]): string {
  return state === "nobody" || state === "taken" ? name : t.inState(name, t.stateWords[state]);
}

/** Who has how much of a report's errors; null while nobody has any. */
export function whoHasWhat(context: PageContext, { assignees }: List<"cause">["meta"]): Html {
  if (!assignees.some(({ assignee }) => assignee !== null)) return null;
  const most = Math.max(1, ...assignees.map(({ how_many }) => how_many));
  const to = (query: Record<string, string | undefined>) => context.href(reportPath(context, "/causes"), query);
  return html`<section class="card grid close" aria-labelledby="has">
    <div class="line"><h2 id="has">${t.whoHasWhat}</h2><span class="quiet small push">${t.whoHasWhatColumns}</span></div>
    <ul class="tree">
      ${assignees.map(
        ({ assignee, is_left, state, causes, how_many }) =>
          html`<li><a href=${to({ assignee: assignee ?? undefined, state })}>
            <span>${assignee === null ? t.nobodyHas : inState(holderName({ assignee, is_left }), state)}</span>${bar({ value: how_many, kind: "quiet" }, most)}<b class="n">${formatNumber(how_many)}</b><span class="n quiet">${formatNumber(causes)}</span>
          </a></li>`,
      )}
    </ul>
    <p class="quiet small">${t.doneMeans}</p>
  </section>`;
}
