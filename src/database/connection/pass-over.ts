import { isConnectionLoss, isLockTimeout, isStatementTimeout } from "./connection-loss.ts";

/** Called with the id of what failed, and why. What is behind it is done all the same. */
export type OnFailure = (id: string, error: unknown) => void;

/**
 * Runs `work` on one of many. If it fails for a reason of its own, `onFailure` is told, and the others go on.
 *
 * @returns whether it succeeded
 * @throws the error without an `onFailure`, and when the database is away, which concerns the others, too
 */
export async function passOver(
  id: string,
  onFailure: OnFailure | undefined,
  work: () => Promise<void>,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    const isOwn = !isConnectionLoss(error) || isStatementTimeout(error) || isLockTimeout(error);
    if (!onFailure || !isOwn) throw error;
    onFailure(id, error);
    return false;
  }
}
