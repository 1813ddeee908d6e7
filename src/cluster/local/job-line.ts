/** The first argument of a process that is started before its Job. It waits for a JobLine on stdin. */
export const PRESTARTED = "--prestarted";

/** What such a process gets once its Job exists, as a line of JSON on stdin. */
export type JobLine = { args: string[]; variables: Record<string, string> };
