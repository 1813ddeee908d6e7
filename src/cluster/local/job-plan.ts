import { backoffDelay } from "../../domain/backoff.ts";

/**
 * Decides what a Job needs next, as Kubernetes' Job controller does for a work queue
 * (`completions` not set): pods up to the current `parallelism`, no new pods after the first
 * success, and the end when the others have ended.
 */

export type JobState = {
  parallelism: number;
  backoffLimit: number;
  /** Pods that run now. */
  active: number;
  /** Pods that are being stopped because parallelism was lowered, and still run. */
  terminating: number;
  succeeded: number;
  failed: number;
  /** Set when a pod reported that a retry cannot help (podFailurePolicy: exit code 2). */
  fatal?: string;
  /** In milliseconds of a monotonic clock, like all times here. */
  startedAt: number;
  activeDeadlineSeconds?: number;
  /** Consecutive pods that this machine ended (podFailurePolicy: exit code 3): neither failed nor succeeded. */
  interrupted?: number;
  lastFailureAt?: number;
  /** The wait after the first failure; doubles with each failure. */
  backoffMs: number;
};

export type JobDecision = {
  /** Pods to start. */
  start: number;
  /** Active pods to stop because parallelism was lowered. They count neither as failed nor as succeeded. */
  stop?: number;
  /** All running pods must end. */
  stopAll: boolean;
  finish?: { type: "Complete" | "Failed"; reason: string; message: string };
  /** When to decide again even if nothing happens. */
  recheckAt?: number;
};

const MAX_BACKOFF_MS = 360_000;
/** A short wait, so that the Job continues soon after the machine has recovered. */
const MAX_INTERRUPTED_MS = 30_000;

export function planJob(state: JobState, now: number): JobDecision {
  const failure = failureOf(state, now);
  if (failure) {
    // The condition is set last, so it guarantees that no pod is running any more.
    if (state.active + state.terminating > 0) return { start: 0, stopAll: true };
    return { start: 0, stopAll: false, finish: { type: "Failed", ...failure } };
  }
  const deadline = deadlineOf(state);
  if (state.succeeded > 0) {
    if (state.active + state.terminating > 0) return { start: 0, stopAll: false, ...at(deadline) };
    const finish = {
      type: "Complete",
      reason: "CompletionsReached",
      message: "A pod succeeded, and the others have ended.",
    } as const;
    return { start: 0, stopAll: false, finish };
  }
  const surplus = state.active - state.parallelism;
  if (surplus > 0) return { start: 0, stopAll: false, stop: surplus, ...at(deadline) };
  const retryAt = retryTime(state);
  if (retryAt !== undefined && now < retryAt)
    return { start: 0, stopAll: false, recheckAt: Math.min(retryAt, deadline ?? retryAt) };
  // As with podReplacementPolicy Failed: a pod is replaced only when it has ended.
  const missing = state.parallelism - state.active - state.terminating;
  return { start: Math.max(0, missing), stopAll: false, ...at(deadline) };
}

function failureOf(state: JobState, now: number): { reason: string; message: string } | undefined {
  if (state.fatal) return { reason: "PodFailurePolicy", message: state.fatal };
  const deadline = deadlineOf(state);
  if (deadline !== undefined && now >= deadline)
    return {
      reason: "DeadlineExceeded",
      message: `The Job was active for more than ${state.activeDeadlineSeconds} seconds.`,
    };
  if (state.failed > state.backoffLimit)
    return {
      reason: "BackoffLimitExceeded",
      message: `${state.failed} pods failed; ${state.backoffLimit} retries are allowed.`,
    };
  return undefined;
}

function deadlineOf(state: JobState): number | undefined {
  return state.activeDeadlineSeconds === undefined ? undefined : state.startedAt + state.activeDeadlineSeconds * 1000;
}

function retryTime({ failed, interrupted = 0, lastFailureAt, backoffMs }: JobState): number | undefined {
  if (lastFailureAt === undefined) return undefined;
  // Like Kubernetes, without a random part.
  const wait = (failures: number, maxMs: number) =>
    failures === 0 ? 0 : backoffDelay(failures - 1, 1, { baseMs: backoffMs, maxMs });
  const delay = Math.max(wait(failed, MAX_BACKOFF_MS), wait(interrupted, MAX_INTERRUPTED_MS));
  return delay === 0 ? undefined : lastFailureAt + delay;
}

function at(time: number | undefined): { recheckAt?: number } {
  return time === undefined ? {} : { recheckAt: time };
}
