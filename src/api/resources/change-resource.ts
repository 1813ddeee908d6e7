import { type Cluster, isClusterError } from "../../cluster/port.ts";
import type { ResourceOfRow } from "../../database/reports/reports.ts";
import type { Kind, ReportResource, Resources, ScheduleResource } from "../../schema/resources.ts";
import { refuse } from "../http/response/errors.ts";

/** Another writer may change the resource between read and write; more conflicts than this mean that there is a bug. */
const MAX_CONFLICTS = 5;

/**
 * Changes the spec of a row's resource.
 *
 * @param change returns the new spec, from the resource's spec and generation; it is called again when another writer
 *   changed the resource in the meantime
 * @returns the resource as it was written; "gone" if it does not exist any more or is being deleted, "out of reach" if
 *   its namespace is gone or no longer watched: there the API has no rights
 * @throws ClusterError `Conflict` when other writers change the resource every time, `Invalid` for a wrong spec
 */
export async function updateSpec<Resource extends ReportResource | ScheduleResource>(
  cluster: Cluster,
  kind: Resource["kind"],
  { namespace, name, uid }: ResourceOfRow,
  change: (spec: Resource["spec"], generation: number) => Promise<Resource["spec"]>,
): Promise<Resource | "gone" | "out of reach"> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const resource = (await cluster.get(kind, namespace, name)) as Resource | undefined;
      if (!resource || resource.metadata.uid !== uid || resource.metadata.deletionTimestamp) return "gone";
      const changed = { ...resource, spec: await change(resource.spec, resource.metadata.generation) };
      return (await cluster.update(changed as Resources[Kind])) as Resource;
    } catch (error) {
      if (isClusterError(error, "NotFound")) return "gone";
      if (isClusterError(error, "Forbidden")) return "out of reach";
      if (!isClusterError(error, "Conflict") || attempt === MAX_CONFLICTS) throw error;
    }
  }
}

/** The error for a change that only a resource can take, when that is out of reach. */
export function outOfReach(what: "report" | "schedule"): Error {
  const possible = what === "report" ? "it can only be unshared or deleted" : "it can only be deleted";
  const detail = `The ${what} is in a namespace of the cluster that the service no longer watches; ${possible}.`;
  return refuse(409, "out_of_reach", "Conflict", detail);
}
