/**
 * V8's options for the processes that work on a report, which share the cores with each other and with PostgreSQL. One
 * thread collects garbage: helping threads take more processor time than they save. The young generation is large from
 * the start (MB), so that a process that ends after a second collects next to nothing.
 */
export const V8_OPTIONS: readonly string[] = ["--single-threaded-gc", "--min-semi-space-size=8"];
