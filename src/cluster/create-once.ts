import type { Kind, Resources } from "../schema/resources.ts";
import { type Cluster, isClusterError, type NewObject } from "./port.ts";

/**
 * Creates an object with a deterministic name, or returns it when it exists already. "Already
 * exists" is success only if the object is ours: anybody can take a name.
 *
 * @returns undefined when another object has the name
 */
export async function createOnce<K extends Kind>(
  cluster: Cluster,
  kind: K,
  object: NewObject<Resources[K]>,
  isOurs: (existing: Resources[K]) => boolean,
): Promise<Resources[K] | undefined> {
  const { namespace, name } = object.metadata;
  for (;;) {
    try {
      return await cluster.create<K>(object);
    } catch (error) {
      if (!isClusterError(error, "AlreadyExists")) throw error;
    }
    const existing = await cluster.get(kind, namespace, name);
    // If it is gone again, the name is free: try once more.
    if (existing) return isOurs(existing) ? existing : undefined;
  }
}
