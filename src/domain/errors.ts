import type { Violation } from "../schema/violation.ts";

export type { ErrorSource, Violation } from "../schema/violation.ts";

/**
 * Errors that the caller can fix. Every other error is a bug: it is logged with its stack, and its
 * message is not shown to callers.
 */

/** A request that cannot be carried out, with all its violations. */
export class RequestError extends Error {
  readonly violations: readonly Violation[];
  /** Headers of the response: Allow, Retry-After, WWW-Authenticate. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(violations: Violation | readonly Violation[], headers: Record<string, string> = {}) {
    const list = Array.isArray(violations) ? (violations as readonly Violation[]) : [violations as Violation];
    super(list.map((violation) => violation.detail).join(" "));
    this.name = "RequestError";
    this.violations = list;
    this.headers = headers;
  }

  /** The HTTP status of the response: that of the first violation. */
  get status(): number {
    return this.violations[0]?.status ?? 500;
  }
}

/** A change of a report that is refused while the report is being compared, because the result would be wrong. */
export class ReportBeingComparedError extends Error {
  constructor() {
    super("The report is being compared with another one; try again when that is done.");
    this.name = "ReportBeingComparedError";
  }
}

/** Exit codes of every program. Jobs' podFailurePolicy and callers of the command line depend on them. */
export const exitCodes = {
  ok: 0,
  /** `check`: issues at or above the threshold. Other programs: an error that a retry may fix. */
  failed: 1,
  /** Wrong arguments or configuration, or the program cannot run: a retry does not help. */
  usage: 2,
  /** The machine, or a service that the program needs, cannot be used now: trying again does not count as a retry. */
  environment: 3,
} as const;

/** Something that a program needs is gone. It releases its work and ends, so that another process continues. */
export class BrokenEnvironmentError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BrokenEnvironmentError";
  }
}

/** Wrong use of a program: printed without a stack, exit code 2. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UsageError";
  }
}
