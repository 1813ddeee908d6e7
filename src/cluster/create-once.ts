import type { Kind, Resources } from "../schema/resources.ts";
import { type Cluster, isClusterError, type NewObject } from "./port.ts";

/**
 * Creates an object of a name that is always the same for it; made before, that one is
 * given back. "Already exists" is success only if it is ours: names can be taken by anybody.
 *
 * @returns undefined when the name is another's
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
    // Gone again: the name is free.
    if (existing) return isOurs(existing) ? existing : undefined;
  }
}
