import type { IssueElement } from "../domain/findings/findings.ts";
import type { Stage } from "../schema/resources.ts";

/** What columns of JSON have, where no other room has a name for it. */

/** An element of an issue as it is stored. */
export type StoredElement<Element extends IssueElement = IssueElement> = Omit<Element, "element"> & {
  fingerprint: string;
  selector?: string;
};

/** What stays known of a Job that was created for a stage of a report. */
export type LastJob = {
  run: number;
  /** How many Jobs in a row, this one included, were created without much progress in between. */
  attempt: number;
  /** How many pages or checks were done when it was created. */
  done: number;
};

/** The last Job of each stage. */
export type LastJobs = Partial<Record<Stage, LastJob>>;
