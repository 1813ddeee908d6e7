import type { Kind } from "../schema/resources.ts";
import { type Cluster, isClusterError } from "./port.ts";

/**
 * Deletes a row's resource, unless it is gone already or out of reach. If its namespace is watched again, the controller
 * finds the row and deletes the resource.
 *
 * @param row what identifies it: another resource may have its name by now
 */
export async function deleteResource(
  cluster: Pick<Cluster, "delete">,
  kind: Kind,
  { namespace, name, uid }: { namespace: string; name: string; uid: string },
): Promise<void> {
  try {
    await cluster.delete(kind, namespace, name, { uid });
  } catch (error) {
    // Conflict: another resource has the name now. Forbidden: no rights in that namespace any more.
    if (!isClusterError(error, "Conflict") && !isClusterError(error, "Forbidden")) throw error;
  }
}
