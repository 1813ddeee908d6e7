import type { Answer } from "./client.ts";

/** What an expectation may use besides the answer itself. */
export type Scene = {
  /** Puts the prepared things in the place of their names in braces. */
  fill(text: string): string;
  /** Another request of the same caller, with links as they are or paths below /api/v1. */
  send(request: string): Promise<Answer>;
};
