import { annotations, type ReportResource, type ScheduleResource } from "../schema/resources.ts";

/**
 * Which account a resource belongs to, on a cluster with several namespaces. Who may create
 * resources in the release's namespace runs the release: there the resource's own annotation
 * counts, and without one it is the first account's. Elsewhere only the namespace's annotation
 * does: a resource's own is written by a tenant, who could name another's account.
 */
export function createAccountLookup(sources: {
  /** The release's namespace. */
  namespace: string;
  firstAccount: () => Promise<string | undefined>;
  annotationsOf: (namespace: string) => Promise<Record<string, string>>;
}): (resource: ReportResource | ScheduleResource) => Promise<string | undefined> {
  let first: string | undefined;
  return async ({ metadata }) => {
    if (metadata.namespace !== sources.namespace)
      return (await sources.annotationsOf(metadata.namespace))[annotations.account];
    const own = metadata.annotations?.[annotations.account];
    if (own !== undefined) return own;
    first ??= await sources.firstAccount();
    // The api makes it at its first start; until then there is nothing to refuse.
    if (first === undefined) throw new Error("There is no account yet: the api has not started.");
    return first;
  };
}
