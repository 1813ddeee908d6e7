import type { Kind, Resources } from "../schema/resources.ts";
import { type Cluster, ClusterError, isClusterError, type NewObject } from "./port.ts";

/** An object that takes the name and is gone again may do so once or twice, but not for ever. */
const MAX_TRIES = 3;

/**
 * Creates an object with a deterministic name, or returns it when it exists already. "Already
 * exists" is success only if the object is ours: anybody can take a name.
 *
 * @returns undefined when another object has the name
 * @throws ClusterError `Unavailable` when the name is taken each time, by an object that cannot be found
 */
export async function createOnce<K extends Kind>(
  cluster: Cluster,
  kind: K,
  object: NewObject<Resources[K]>,
  isOurs: (existing: Resources[K]) => boolean,
): Promise<Resources[K] | undefined> {
  const { namespace, name } = object.metadata;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    try {
      return await cluster.create<K>(object);
    } catch (error) {
      if (!isClusterError(error, "AlreadyExists")) throw error;
    }
    const existing = await cluster.get(kind, namespace, name);
    // If it is gone again, the name is free.
    if (existing) return isOurs(existing) ? existing : undefined;
  }
  throw new ClusterError(
    "Unavailable",
    `The ${kind} ${namespace}/${name} could not be created: ${MAX_TRIES} times the cluster said that it exists already, and then that it does not exist. Something else creates and removes it, or the cluster contradicts itself: try again later.`,
  );
}
