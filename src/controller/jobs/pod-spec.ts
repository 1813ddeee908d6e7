import { kindsThat, manifestOf } from "../../checks/kinds.ts";
import type { JobResource, Stage } from "../../schema/resources.ts";
import { checkerStage } from "../../schema/status.ts";
import { kindOfStage } from "../scheduling/grant.ts";

/** A variable of a container: a value, or a reference to a Secret. */
export type EnvironmentEntry = NonNullable<
  JobResource["spec"]["template"]["spec"]["containers"][number]["env"]
>[number];

/** The operator's settings for Jobs' pods: the chart's values, from JOB_TEMPLATE_FILE. */
export type JobTemplate = {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  serviceAccountName?: string;
  imagePullSecrets?: { name: string }[];
  /** Takes precedence over what the controller sets. */
  env?: EnvironmentEntry[];
  /**
   * By stage. A checker that is not here has those of the first one that needs the same. `browser` is for the containers
   * with a browser.
   */
  resources?: Record<string, Resources | undefined>;
  nodeSelector?: Record<string, string>;
  tolerations?: unknown[];
  affinity?: Record<string, unknown>;
  priorityClassName?: string;
  /** Files for the programs; never for the container with the browser. */
  volumes?: unknown[];
  volumeMounts?: unknown[];
};

type Resources = { requests?: Record<string, string | number>; limits?: Record<string, string | number> };

/** How Jobs run as pods on a cluster. */
export type JobPods = {
  images: { slim: string; browser: string; nu: string };
  pullPolicy: string;
  template: JobTemplate;
};

/** The user of the programs, and the user of the browser, which can neither read nor signal the other's processes. */
const USER = 10_001;
const BROWSER_USER = 10_002;
const BROWSER_FOLDER = "/run/browser";
const BROWSER_SOCKET = { name: "BROWSER_SOCKET", value: `${BROWSER_FOLDER}/socket` };

/** Pod Security "restricted". */
const security = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  capabilities: { drop: ["ALL"] },
};

/**
 * The fields of a pod's spec and of its main container that a cluster needs.
 *
 * @param needs what the Job runs besides its own program: a browser beside it, or Java in its image
 */
export function jobPod(
  { images, pullPolicy, template }: JobPods,
  stage: Stage | "printer",
  { browser, java }: { browser: boolean; java: boolean },
): {
  spec: Record<string, unknown>;
  container: Record<string, unknown> & { image: string };
  environment: EnvironmentEntry[];
} {
  const { nodeSelector, tolerations, affinity, priorityClassName, serviceAccountName, imagePullSecrets } = template;
  const resources = template.resources?.[stage] ?? template.resources?.[stageWithSameNeeds(stage)];
  const shared = { name: "browser", mountPath: BROWSER_FOLDER };
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
      ...(browser && { initContainers: [browserContainer({ images, pullPolicy, template })] }),
      volumes: [
        { name: "tmp", emptyDir: { sizeLimit: "500Mi" } },
        ...(browser
          ? [
              { name: "browser", emptyDir: { sizeLimit: "1Mi" } },
              { name: "browser-tmp", emptyDir: { sizeLimit: "1Gi" } },
            ]
          : []),
        ...(template.volumes ?? []),
      ],
    },
    container: {
      image: java ? images.nu : images.slim,
      imagePullPolicy: pullPolicy,
      ...(resources && { resources }),
      securityContext: security,
      volumeMounts: [
        { name: "tmp", mountPath: "/tmp" },
        ...(browser ? [shared] : []),
        ...(template.volumeMounts ?? []),
      ],
    },
    environment: browser ? [BROWSER_SOCKET] : [],
  };
}

/** The first stage whose checks need the same, a source or a browser: it has resources in the chart's values. */
function stageWithSameNeeds(stage: Stage | "printer"): Stage {
  if (stage === "crawler" || stage === "printer") return "crawler";
  const { needs } = manifestOf(kindOfStage(stage));
  const [first] = kindsThat((manifest) => manifest.needs === needs);
  return first ? checkerStage(first) : stage;
}

/**
 * A native sidecar: it starts before the main container and ends after it, and does not keep the pod
 * from ending. It renders hostile pages, so it has another user, and neither credentials nor the
 * operator's environment.
 */
function browserContainer({ images, pullPolicy, template }: JobPods): Record<string, unknown> {
  const resources = template.resources?.browser;
  return {
    name: "browser",
    image: images.browser,
    imagePullPolicy: pullPolicy,
    restartPolicy: "Always",
    args: ["browser"],
    env: [BROWSER_SOCKET],
    ...(resources && { resources }),
    securityContext: { ...security, runAsUser: BROWSER_USER, runAsGroup: BROWSER_USER },
    volumeMounts: [
      { name: "browser", mountPath: BROWSER_FOLDER },
      { name: "browser-tmp", mountPath: "/tmp" },
    ],
  };
}

/** One entry per name; later entries take precedence. */
export function mergeEnvironment(...lists: readonly EnvironmentEntry[][]): EnvironmentEntry[] {
  return [...new Map(lists.flat().map((entry) => [entry.name, entry])).values()];
}
