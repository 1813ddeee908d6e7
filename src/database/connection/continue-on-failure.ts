import { isConnectionLoss, isOfOneStatement } from "./connection-loss.ts";

/** Called with the id of what failed, and why. The others are still done. */
export type OnFailure = (id: string, error: unknown) => void;

/**
 * Runs `work` on one of many. If it fails for a reason of its own, calls `onFailure`, so that the others can continue.
 *
 * @returns whether it succeeded
 * @throws the error if there is no `onFailure`, or if the database is unavailable, which affects the others, too
 */
export async function continueOnFailure(
  id: string,
  onFailure: OnFailure | undefined,
  work: () => Promise<void>,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!onFailure || (isConnectionLoss(error) && !isOfOneStatement(error))) throw error;
    onFailure(id, error);
    return false;
  }
}
