import { kubectl } from "./commands.ts";
import { restrictedContainer, restrictedPod, slimImage } from "./restricted-pod.ts";

/** Prints as JSON which of its arguments, as `host:port`, accept a TCP connection within two seconds. */
const script = `
  const tried = process.argv.slice(1).map((target) => new Promise((resolve) => {
    const colon = target.lastIndexOf(":");
    const [host, port] = [target.slice(0, colon), target.slice(colon + 1)];
    const socket = require("node:net").connect({ host, port, timeout: 2000 });
    const answer = (open) => () => { socket.destroy(); resolve([target, open]); };
    socket.once("connect", answer(true)).once("timeout", answer(false)).once("error", answer(false));
  }));
  // A name that does not resolve would take much longer.
  Promise.all(tried).then((pairs) => console.log(JSON.stringify(Object.fromEntries(pairs)))).then(() => process.exit());
`;

/** A pod that tries connections. @returns which targets, as `host:port`, it reaches now */
export async function deployProbe(
  namespace: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<(targets: readonly string[]) => Promise<Record<string, boolean>>> {
  const container = { name: "probe", ...restrictedContainer, ...(await slimImage()) };
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels },
    spec: {
      ...restrictedPod,
      terminationGracePeriodSeconds: 0,
      containers: [{ ...container, command: ["node", "-e", "setInterval(() => {}, 60_000)"] }],
    },
  };
  await kubectl(["apply", "-f", "-"], JSON.stringify(pod));
  await kubectl(["wait", "-n", namespace, "--for=condition=Ready", "--timeout=60s", `pod/${name}`]);
  return (targets) => connectFrom(namespace, name, targets);
}

/** Tries connections from a pod that is there, in its first container. @returns which targets it reaches now */
export async function connectFrom(
  namespace: string,
  pod: string,
  targets: readonly string[],
): Promise<Record<string, boolean>> {
  return JSON.parse(await kubectl(["exec", "-n", namespace, pod, "--", "node", "-e", script, ...targets]));
}
