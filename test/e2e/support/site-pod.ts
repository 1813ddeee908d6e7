import { createHash } from "node:crypto";
import { kubectl } from "./commands.ts";
import { restrictedContainer, restrictedPod, slimImage } from "./restricted-pod.ts";

/**
 * Serves pages.json by path; any other path is 404. Runs in the slim image, with nothing but Node.
 * If pages.json has AUTHORIZATION, requests without that header get nothing. If it has PASSWORD, pages are for those who have
 * signed in by the form at /login; each sign-in is a line of its log.
 */
const server = `
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
const pages = JSON.parse(readFileSync("/site/pages.json", "utf8"));
const form = '<!DOCTYPE html><html lang="en"><title>Sign in</title><form method="post"><label>Password <input type="password" name="password"></label><button>Sign in</button></form>';
createServer(async (request, response) => {
  const { url, headers, method } = request;
  if (pages.PASSWORD !== undefined && url === "/login") {
    let body = "";
    for await (const chunk of request) body += chunk;
    const isRight = method === "POST" && new URLSearchParams(body).get("password") === pages.PASSWORD;
    if (isRight) console.log("signed in");
    if (isRight) return response.writeHead(303, { location: "/", "set-cookie": "session=in-as-a-member; Path=/" }).end();
    return response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(form);
  }
  if (pages.PASSWORD !== undefined && !/session=in/.test(headers.cookie ?? ""))
    return response.writeHead(303, { location: "/login" }).end();
  if (pages.AUTHORIZATION !== undefined && headers.authorization !== pages.AUTHORIZATION) {
    response.writeHead(401, { "www-authenticate": 'Basic realm="staging"' });
    return response.end();
  }
  const page = pages[url] ?? pages[url.split("?")[0]];
  response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" });
  response.end(page ?? "<!DOCTYPE html><title>Not found</title>");
}).listen(8080);
process.on("SIGTERM", () => process.exit(0));
`;

/**
 * A fixture site as a pod of the cluster, for pods to crawl.
 *
 * @param pages HTML by path
 * @param guard the header without which nothing is served, or the password of those who may sign in
 * @returns its start page's URL as the cluster's pods reach it
 */
export async function deploySite(
  namespace: string,
  site: Readonly<Record<string, string>>,
  guard: { authorization?: string; password?: string } = {},
): Promise<string> {
  const { authorization, password } = guard;
  const pages = {
    ...site,
    ...(authorization !== undefined && { AUTHORIZATION: authorization }),
    ...(password !== undefined && { PASSWORD: password }),
  };
  const labels = { app: "fixture-site" };
  const metadata = { name: "site", namespace, labels };
  // Other pages need another pod, since they are read at its start.
  const annotations = { pages: createHash("sha256").update(JSON.stringify(pages)).digest("hex") };
  const pod = {
    ...restrictedPod,
    containers: [
      {
        name: "site",
        ...restrictedContainer,
        ...(await slimImage()),
        command: ["node", "/site/server.mjs"],
        ports: [{ containerPort: 8080 }],
        readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
        volumeMounts: [{ name: "site", mountPath: "/site" }],
      },
    ],
    volumes: [{ name: "site", configMap: { name: "site" } }],
  };
  const items = [
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data: { "server.mjs": server, "pages.json": JSON.stringify(pages) },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels, annotations }, spec: pod } },
    },
  ];
  await kubectl(["apply", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  await kubectl(["rollout", "status", "-n", namespace, "deployment/site", "--timeout=120s"]);
  return `http://site.${namespace}.svc.cluster.local/`;
}
