import { backoffDelay } from "../../domain/backoff.ts";

/**
 * What a Job needs next, decided as Kubernetes' Job controller does for a work
 * queue (`completions` not set): pods up to `parallelism`, whether it was raised or
 * lowered; after the first success no new ones; done when the rest has ended.
 */

export type JobState = {
  parallelism: number;
  backoffLimit: number;
  /** Pods that run now. */
  active: number;
  /** Pods that were told to end because parallelism was lowered, and still run. */
  terminating: number;
  succeeded: number;
  failed: number;
  /** Set when a pod said that trying again cannot help (podFailurePolicy: exit code 2). */
  fatal?: string;
  /** Milliseconds since the epoch, as all times here. */
  startedAt: number;
  activeDeadlineSeconds?: number;
  lastFailureAt?: number;
  /** Wait after the first failure; doubles with each one. */
  backoffMs: number;
};

export type JobDecision = {
  /** Pods to start. */
  start: number;
  /** Active pods to stop because parallelism was lowered. They count neither as failed nor as succeeded. */
  stop?: number;
  /** Pods that run must end. */
  stopAll: boolean;
  finish?: { type: "Complete" | "Failed"; reason: string; message: string };
  /** When to decide again though nothing happened. */
  recheckAt?: number;
};

const MAX_BACKOFF_MS = 360_000;

export function planJob(state: JobState, now: number): JobDecision {
  const failure = failureOf(state, now);
  if (failure) {
    // The condition comes last: who sees it may rely on no pod running any more.
    if (state.active + state.terminating > 0) return { start: 0, stopAll: true };
    return { start: 0, stopAll: false, finish: { type: "Failed", ...failure } };
  }
  const deadline = deadlineOf(state);
  if (state.succeeded > 0) {
    if (state.active + state.terminating > 0) return { start: 0, stopAll: false, ...at(deadline) };
    const finish = {
      type: "Complete",
      reason: "CompletionsReached",
      message: "A pod succeeded, the rest ended.",
    } as const;
    return { start: 0, stopAll: false, finish };
  }
  const surplus = state.active - state.parallelism;
  if (surplus > 0) return { start: 0, stopAll: false, stop: surplus, ...at(deadline) };
  const retryAt = retryTime(state);
  if (retryAt !== undefined && now < retryAt)
    return { start: 0, stopAll: false, recheckAt: Math.min(retryAt, deadline ?? retryAt) };
  // As with podReplacementPolicy Failed: a pod that still ends keeps its place.
  const missing = state.parallelism - state.active - state.terminating;
  return { start: Math.max(0, missing), stopAll: false, ...at(deadline) };
}

function failureOf(state: JobState, now: number): { reason: string; message: string } | undefined {
  if (state.fatal) return { reason: "PodFailurePolicy", message: state.fatal };
  const deadline = deadlineOf(state);
  if (deadline !== undefined && now >= deadline)
    return {
      reason: "DeadlineExceeded",
      message: `It was active for more than ${state.activeDeadlineSeconds} seconds.`,
    };
  if (state.failed > state.backoffLimit)
    return {
      reason: "BackoffLimitExceeded",
      message: `${state.failed} pods failed, of ${state.backoffLimit} retries allowed.`,
    };
  return undefined;
}

function deadlineOf(state: JobState): number | undefined {
  return state.activeDeadlineSeconds === undefined ? undefined : state.startedAt + state.activeDeadlineSeconds * 1000;
}

function retryTime({ failed, lastFailureAt, backoffMs }: JobState): number | undefined {
  if (failed === 0 || lastFailureAt === undefined) return undefined;
  // As Kubernetes does: no part of it is random.
  return lastFailureAt + backoffDelay(failed - 1, 1, { baseMs: backoffMs, maxMs: MAX_BACKOFF_MS });
}

function at(time: number | undefined): { recheckAt?: number } {
  return time === undefined ? {} : { recheckAt: time };
}
