import type { Reply } from "./client.ts";

/** What an expectation may use besides the response itself. */
export type Scene = {
  /** Replaces names in braces by the prepared things. */
  fill(text: string): string;
  /** Another request of the same caller, with links as they are or paths below /api/v1. */
  send(request: string): Promise<Reply>;
};
