import { annotations, type ReportResource, type ScheduleResource } from "../schema/resources.ts";

/**
 * Finds the account that a resource belongs to, on a cluster with several namespaces. In the release's
 * namespace, whose users operate the release, the resource's own annotation counts, and the first
 * account is the default. Elsewhere only the namespace's annotation counts: a tenant writes the
 * resource's own and could name another account.
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
    // The API creates the first account at its first start; until then, retry instead of refusing.
    if (first === undefined) throw new Error("There is no account yet: the API has not started.");
    return first;
  };
}
