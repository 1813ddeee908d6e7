import type { Stage } from "../schema/resources.ts";
import type { EnvironmentEntry } from "./settings.ts";

/** What the operator puts into the pods of Jobs: the chart's values, as JOB_TEMPLATE_FILE holds them. */
export type JobTemplate = {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  serviceAccountName?: string;
  imagePullSecrets?: { name: string }[];
  /** Wins over what the controller sets itself. */
  env?: EnvironmentEntry[];
  /** By stage; `browser` is for containers that a browser runs in. */
  resources?: Record<string, Resources | undefined>;
  nodeSelector?: Record<string, string>;
  tolerations?: unknown[];
  affinity?: Record<string, unknown>;
  priorityClassName?: string;
};

type Resources = { requests?: Record<string, string | number>; limits?: Record<string, string | number> };

/** How Jobs run as pods of a cluster. */
export type JobPods = {
  images: { slim: string; browser: string };
  pullPolicy: string;
  template: JobTemplate;
};

/** The images' user. */
const USER = 10_001;

/** The fields of a pod's spec and of its one container that a cluster needs: Pod Security "restricted". */
export function jobPod(
  { images, pullPolicy, template }: JobPods,
  stage: Stage,
  browser: boolean,
): { spec: Record<string, unknown>; container: Record<string, unknown> & { image: string } } {
  const { nodeSelector, tolerations, affinity, priorityClassName, serviceAccountName, imagePullSecrets } = template;
  const resources = template.resources?.[browser ? "browser" : stage] ?? template.resources?.[stage];
  return {
    spec: {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: USER,
        runAsGroup: USER,
        fsGroup: USER,
        seccompProfile: { type: "RuntimeDefault" },
      },
      ...(serviceAccountName && { serviceAccountName }),
      ...(imagePullSecrets?.length && { imagePullSecrets }),
      ...(nodeSelector && { nodeSelector }),
      ...(tolerations?.length && { tolerations }),
      ...(affinity && { affinity }),
      ...(priorityClassName && { priorityClassName }),
      volumes: [{ name: "tmp", emptyDir: { sizeLimit: browser ? "1Gi" : "500Mi" } }],
    },
    container: {
      image: browser ? images.browser : images.slim,
      imagePullPolicy: pullPolicy,
      ...(resources && { resources }),
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        runAsNonRoot: true,
        capabilities: { drop: ["ALL"] },
      },
      volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
    },
  };
}

/** One entry a name; later ones win. */
export function mergeEnvironment(...lists: readonly EnvironmentEntry[][]): EnvironmentEntry[] {
  return [...new Map(lists.flat().map((entry) => [entry.name, entry])).values()];
}
