/**
 * The test files by step of CI (.ci/steps.js). In each, those that take longest come first: one that began last would run alone.
 */
export const GROUPS: Record<string, readonly string[]> = {
  main: ["main"],
  contract: ["contract"],
  reports: ["reports", "basic-auth", "live", "sign-in", "external"],
  installations: ["troubles", "chart", "network", "manifests", "upgrade"],
  faults: ["kubernetes-cluster", "leader", "cluster-faults", "faults"],
};
/** They stop the cluster's own components, change CRDs that all installations share, or have a minute for a new pod. */
export const ALONE = ["cluster-faults", "faults", "manifests", "upgrade"];
