import { isConnectionLoss } from "../../database/connection/errors.ts";
import { ClusterError } from "../port.ts";

/** Runs a call; an unavailable database becomes ClusterError `Unavailable`. */
export async function availableOrThrow<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (isConnectionLoss(error))
      throw new ClusterError("Unavailable", "The database is not reachable.", { cause: error });
    throw error;
  }
}
