import type { Attributes, List } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, PageContext } from "../page.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { bar } from "./chart.ts";
import { calendarDay } from "./dates.ts";
import { hiddenFields, input, problems } from "./form.ts";
import { icon } from "./icon.ts";
import { reportPath } from "./report.ts";

const t = texts.assignment;

type Cause = Attributes<"cause">;

const DAY = 86_400_000;

/** Until when, and by how many days it is late. */
export function until({ state, due_on }: NonNullable<Cause["assignment"]>, now: Date): Html {
  if (state === "done") return t.saidDone;
  if (due_on === null) return null;
  if (state !== "late") return t.until(calendarDay(due_on));
  const days = Math.floor((now.getTime() - new Date(`${due_on}T00:00:00Z`).getTime()) / DAY);
  return html`<span class="bad">${t.late(days)}</span>`;
}

/** A sentence that says who has a cause, with a link to change that. @param to where that is done */
export function whoHasIt({ now }: PageContext, { assignment, title }: Cause, to: string): Html {
  const link = (text: string) => html`<a href=${`${to}#who`} aria-label=${`${text}: ${title}`}>${text}</a>`;
  if (!assignment) return html`<p>${t.nobody} <span class="screen">${link(t.take)}</span></p>`;
  const { assignee, state } = assignment;
  return html`<p>${icon(state === "done" ? "running" : "person")} ${t.has(assignee)} ${until(assignment, now)}. ${link(t.change)}</p>`;
}

/** The form that says who mends a cause, until when, and that it is done. */
export function assignmentForm(context: PageContext, { assignment, title }: Cause, attempt?: Attempt): Html {
  const { report_id, cause_id } = context.params;
  return html`<form id="who" class="card grid screen" method="post" action=${context.href(`/reports/${report_id}/causes/${cause_id}`)} aria-label=${t.title(title)}>
    ${hiddenFields(context)}
    <h2>${t.heading}</h2>
    ${problems(attempt, ["assignee", "due_on", "note"])}
    <div class="row">
      ${input({ name: "assignee", label: t.assignee, help: t.assigneeHelp, value: assignment?.assignee ?? "", required: true, attempt })}
      ${input({ name: "due_on", label: t.dueOn, help: t.dueOnHelp, type: "date", value: assignment?.due_on ?? "", attempt })}
    </div>
    ${input({ name: "note", label: t.note, help: t.noteHelp, rows: 2, value: assignment?.note ?? "", attempt })}
    <p class="line near">
      <button name="act" value="save">${t.save}</button>
      ${assignment && assignment.state !== "done" && html`<button class="quiet" name="act" value="done">${t.done}</button>`}
      ${assignment && html`<button class="quiet" name="act" value="leave" formnovalidate>${t.leave}</button>`}
    </p>
    ${assignment?.state === "done" && html`<p class="quiet">${t.doneMeans}</p>`}
  </form>`;
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
        ({ assignee, state, causes, how_many }) =>
          html`<li><a href=${to({ assignee: assignee ?? undefined, state })}>
            <span>${assignee === null ? t.nobodyHas : t.inState(assignee, state)}</span>${bar({ value: how_many, kind: "quiet" }, most)}<b class="n">${formatNumber(how_many)}</b><span class="n quiet">${formatNumber(causes)}</span>
          </a></li>`,
      )}
    </ul>
    <p class="quiet small">${t.doneMeans}</p>
  </section>`;
}
