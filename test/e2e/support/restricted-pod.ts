import { chartValues, helm } from "./commands.ts";

/** What Pod Security "restricted" requires of a pod and of its containers. */
export const restrictedPod = {
  automountServiceAccountToken: false,
  securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
};
export const restrictedContainer = {
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  },
};

/** The slim image as the chart's pods of this cluster name it. */
export async function slimImage(): Promise<{ image: string; imagePullPolicy: string }> {
  const rendered = await helm([
    "template",
    "x",
    "charts/site-validator",
    ...chartValues(),
    "--show-only",
    "templates/api.yaml",
  ]);
  const field = (name: string): string => rendered.match(new RegExp(`^\\s+${name}: (\\S+)$`, "m"))?.[1] ?? "";
  return { image: field("image"), imagePullPolicy: field("imagePullPolicy") };
}
