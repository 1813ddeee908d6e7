/** The first argument of a process that is started ahead. It waits for a JobLine on stdin. */
export const AHEAD = "--ahead";

/** What a process that was started ahead gets when its Job is there, as a line of JSON on stdin. */
export type JobLine = { args: string[]; variables: Record<string, string> };
