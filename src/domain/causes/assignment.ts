import { type CalendarDay, dayOf } from "../calendar-day.ts";

/** Who mends a cause, as a person has said. */
export type Assignment = {
  /** A person, a team or an agency. */
  assignee: string;
  /** The day by which it is mended, in UTC: 2026-12-10. */
  due_on: CalendarDay | null;
  note: string | null;
  /** When it was said to be done; null before. */
  done_at: Date | null;
};

/** nobody has it; somebody has it; the day is over; it is said to be done, until a later run has it still. */
export const assignmentStates = ["nobody", "taken", "late", "done"] as const;
export type AssignmentState = (typeof assignmentStates)[number];

/**
 * @param reportAt when the report with the cause was created: what was done before does not mend it
 * @param now decides whether the day is over
 */
export function assignmentState(assignment: Assignment | undefined, reportAt: Date, now: Date): AssignmentState {
  if (!assignment) return "nobody";
  if (assignment.done_at && assignment.done_at >= reportAt) return "done";
  return isOver(assignment.due_on, now) ? "late" : "taken";
}

/** Whether the day by which something is mended has passed. */
export function isOver(due_on: CalendarDay | null, now: Date): boolean {
  return due_on !== null && due_on < dayOf(now);
}
