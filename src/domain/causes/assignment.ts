import { type CalendarDay, dayOf } from "../calendar-day.ts";

/** What somebody may have: a site, a section of it, or a cause. */
export const heldKinds = ["site", "section", "cause"] as const;
export type HeldKind = (typeof heldKinds)[number];

/** So many sections of a site, and as many causes, may have somebody: all of them are read with the site, and sections by any path. */
export const MAX_HELD = 500;

/** Who may have it: a person or a team of the account, or a name for those who have no access, such as an agency. */
export const holderKinds = ["person", "team", "name"] as const;
export type HolderKind = (typeof holderKinds)[number];

/** Who has something. */
export type Holder = {
  /** The name. Of a person or team that was removed, the last one. */
  assignee: string;
  holder: HolderKind;
  /** null for others, and once the person is removed. */
  person_id: string | null;
  /** null for others, and once the team is removed. */
  team_id: string | null;
};

/** Who mends something, as a person has said. */
export type Assignment = Holder & {
  /** The day by which it is mended, in UTC: 2026-12-10. */
  due_on: CalendarDay | null;
  note: string | null;
  /** When it was said to be done; null before. */
  done_at: Date | null;
};

/** What is said of a cause, of the section that all of its pages are in, and of its site. */
export type Said = Partial<Record<HeldKind, Assignment | undefined>>;

/** What holds for a cause, and of what it was said. */
export type Held = Assignment & { of: HeldKind };

/** What is said nearest to a cause holds for it: of itself, else of its section, else of its site. */
export function nearest(said: Said): Held | undefined {
  for (const of of heldKinds.toReversed()) {
    const assignment = said[of];
    if (assignment) return { ...assignment, of };
  }
  return undefined;
}

/** Whether a person or team had it who is not of the account any more. */
export function isLeft({ holder, person_id, team_id }: Holder): boolean {
  return holder !== "name" && person_id === null && team_id === null;
}

/**
 * nobody has it; open: somebody has its section or site, but nobody has taken it; somebody has taken it; the day is over;
 * it is said to be done; it was, and a later run has seen it again.
 */
export const assignmentStates = ["nobody", "open", "taken", "late", "done", "seen_again"] as const;
export type AssignmentState = (typeof assignmentStates)[number];

/**
 * @param held without `of`, it is said of the thing itself
 * @param seenAt when the report that has it was created: what was done before has not mended it
 * @param now decides whether the day is over
 */
export function assignmentState(held: Assignment, seenAt: Date, now: Date): Exclude<AssignmentState, "nobody">;
export function assignmentState(
  held: (Assignment & { of?: HeldKind }) | undefined,
  seenAt: Date,
  now: Date,
): AssignmentState;
export function assignmentState(
  held: (Assignment & { of?: HeldKind }) | undefined,
  seenAt: Date,
  now: Date,
): AssignmentState {
  if (!held) return "nobody";
  const isOwn = held.of === undefined || held.of === "cause";
  if (held.done_at) return held.done_at >= seenAt ? "done" : "seen_again";
  if (isOver(held.due_on, now)) return "late";
  return isOwn ? "taken" : "open";
}

/** When what no report has was seen. */
export const NEVER = new Date(0);

/** Whether the day by which something is mended has passed. */
export function isOver(due_on: CalendarDay | null, now: Date): boolean {
  return due_on !== null && due_on < dayOf(now);
}
