import { findAssignee, holderOf, ownIds } from "../../database/accounts/assignees.ts";
import type { Part } from "../../database/findings/assignments.ts";
import { type SiteKey, siteIdOf } from "../../database/reports/site-key.ts";
import { isDay } from "../../domain/calendar-day.ts";
import {
  type Assignment,
  type AssignmentState,
  type HeldKind,
  type Holder,
  isLeft,
  MAX_HELD,
} from "../../domain/causes/assignment.ts";
import { number } from "../../domain/plural.ts";
import { formatValue } from "../../schema/validate.ts";
import { giveAssignment } from "../../transactions/assignments.ts";
import type { Context } from "../context.ts";
import { ownerOf } from "../http/request/caller.ts";
import { choiceParameter, uuidParameter } from "../http/request/parameters.ts";
import { malformed, refuse, refuseAttribute } from "../http/response/errors.ts";
import type { CauseAttributes } from "../request-attributes.ts";

/** What is said of who has something, as requests give it. */
export type GivenAssignment = CauseAttributes;

export const mineParameter = choiceParameter(
  "filter[mine]",
  "What the person has who is signed in, or made the token: also by a team. A token without a person has nothing.",
  ["true"],
);

/** Whether only what the caller has is asked for, and what that is: by the ids of the person and of the person's teams. */
export async function mineOf(
  context: Context,
): Promise<{ asked: boolean; ids: ReadonlySet<string>; own: (holder: Holder | undefined) => boolean }> {
  const asked = context.query.choice("filter[mine]", ["true"]) !== undefined;
  const person = context.caller?.person;
  const ids = person ? await ownIds(context.deps.db, person.id) : new Set<string>();
  return { asked, ids, own: (holder) => ids.has(holder?.person_id ?? "") || ids.has(holder?.team_id ?? "") };
}

/**
 * What holds after a request: what is left out stays as it is.
 *
 * @param guestToken whose site it is: guests are not told who is in the account, so theirs have names only
 * @returns undefined when nobody has it any more
 * @throws RequestError 422 for a day that is none, somebody unknown, and for what needs somebody
 */
export async function assignmentAfter(
  context: Context,
  given: GivenAssignment,
  before: Assignment | undefined,
  guestToken: string | null,
): Promise<Assignment | undefined> {
  const holder = (await holderIn(context, given, guestToken)) ?? before;
  if (isNobody(given)) return undefined;
  if (!holder)
    throw refuseAttribute("assignee", "required", "assignee, person_id and team_id are missing; nobody has it yet.");
  const due_on = given.due_on === undefined ? (before?.due_on ?? null) : given.due_on;
  if (due_on !== null && !isDay(due_on))
    throw refuseAttribute("due_on", "invalid_format", `due_on is ${formatValue(due_on)}; there is no such day.`);
  const { assignee, holder: kind, person_id, team_id } = holder;
  return {
    ...{ assignee, holder: kind, person_id, team_id, due_on },
    note: given.note === undefined ? (before?.note ?? null) : given.note,
    done_at: given.done === undefined ? (before?.done_at ?? null) : given.done ? context.deps.now() : null,
  };
}

function isNobody({ assignee, person_id, team_id }: GivenAssignment): boolean {
  return assignee === null && person_id === undefined && team_id === undefined;
}

/** Who was given; undefined for nobody. */
async function holderIn(
  context: Context,
  given: GivenAssignment,
  guestToken: string | null,
): Promise<Holder | undefined> {
  const names = (["assignee", "person_id", "team_id"] as const).filter((name) => given[name] != null);
  const [name, other] = names;
  if (other) throw refuseAttribute(other, "inconsistent", `${names.join(" and ")} are given; give one of them.`);
  const value = name && given[name];
  if (!name || !value) return undefined;
  if (name === "assignee") return { assignee: value.trim(), holder: "name", person_id: null, team_id: null };
  if (guestToken === null) return accountHolder(context, name, value);
  const kind = name === "person_id" ? "person" : "team";
  const why = `${name} is ${formatValue(value)}; sites of guests have names: give assignee.`;
  throw refuseAttribute(name, `unknown_${kind}`, why);
}

/** A person or team of the caller's account. @throws RequestError 422 for any other, and for people whose access has ended */
async function accountHolder(context: Context, name: "person_id" | "team_id", id: string): Promise<Holder> {
  const { db, now } = context.deps;
  const kind = name === "person_id" ? "person" : "team";
  const found = await findAssignee(db, { accountId: ownerOf(context), now: now() }, kind, id);
  if (found && (await mayName(context, id))) return holderOf(found);
  throw refuseAttribute(name, `unknown_${kind}`, `${name} is ${formatValue(id)}; the account has no such ${kind}.`);
}

/** Whoever has a say on single sites only is not told who else is in the account. */
async function mayName({ deps, caller }: Context, id: string): Promise<boolean> {
  return caller?.sites == null || (caller.person !== null && (await ownIds(deps.db, caller.person.id)).has(id));
}

export const heirParameter = uuidParameter(
  "successor_id",
  "A person or team of the account that gets the sites, sections and causes. Without it these keep the name, with nobody there.",
);

/** Who takes over what somebody has who is removed. */
export function heirIn(context: Context): string | undefined {
  return context.query.uuid("successor_id");
}

/** Who should take over is nobody of the account, or the one who goes. */
export function noSuchHeir(context: Context): Error {
  const detail = `successor_id is ${heirIn(context)}; it must be another person or team of the account.`;
  return malformed("invalid_parameter", detail, { parameter: "successor_id" });
}

/** Stores who has a part of a site. @returns the assignment's id; undefined for nobody @throws RequestError 409 */
export async function give(
  context: Context,
  site: SiteKey,
  part: Part,
  assignment: Assignment | undefined,
): Promise<string | undefined> {
  const given = await giveAssignment(context.deps.db, site, part, assignment);
  if (given !== "full") return given.id;
  const things = part.kind === "cause" ? "causes" : "sections";
  const whole = part.kind === "cause" ? "a section or the whole site" : "the whole site";
  const listed = `filter[site_id]=${siteIdOf(site.startingUrl)}&filter[kind]=${part.kind}`;
  const detail = `${number(MAX_HELD)} ${things} of ${site.startingUrl} have somebody, which is as many as may. Say of one first that nobody has it, such as one that is done (GET /assignments?${listed} lists them), or give ${whole} to somebody.`;
  throw refuse(409, `too_many_${things}`, "Conflict", detail);
}

/** Who has something, as it is sent. */
export function assignmentAttributes(
  assignment: Assignment & { of?: HeldKind },
  state: Exclude<AssignmentState, "nobody">,
  section: string | null,
) {
  const { assignee, holder, person_id, team_id, due_on, note, of = "cause" } = assignment;
  const path = of === "section" ? section : null;
  return { assignee, holder, person_id, team_id, is_left: isLeft(assignment), of, path, due_on, note, state };
}
