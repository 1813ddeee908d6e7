/**
 * The test files by step of CI (.ci/steps.js), each with an installation of its own. In each group, those that take longest come
 * first: one that began last would run alone.
 */
export const GROUPS: Record<string, readonly string[]> = {
  main: ["main"],
  /** The same with the whole contract, not only a walk through it. */
  contract: ["main"],
  reports: ["reports", "live"],
  installations: ["chart", "kubernetes-cluster", "leader", "manifests", "upgrade"],
  faults: ["faults"],
};
/** They stop the cluster's own components, change CRDs that all installations share, or have a minute for a new pod. */
export const ALONE = ["faults", "manifests", "upgrade"];
