import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { expect } from "chai";
import { createNamespace, deleteNamespaces, getJson, kubectl, poll } from "./support/commands.ts";
import { openEvents } from "./support/event-stream.ts";
import { deployDatabase } from "./support/external-database.ts";
import { type Installation, remove, throughIngress, upgrade } from "./support/installation.ts";
import { applyReport, faultySite, findingsOf, getReport, MAX_RATE_LIMIT, postReport } from "./support/reports.ts";
import { deploySite } from "./support/site-pod.ts";

const OUTSIDE = "outside";
const LIMIT = 100;
/** Longer than a burst of calls takes. */
const SECONDS_LEFT = 20;

/** Requests the API of its own pod. */
const fetchHere = `
  const [path, method, token] = process.argv.slice(1);
  fetch("http://127.0.0.1:4000" + path, { method, headers: { authorization: "Bearer " + token } })
    .then(async (response) => console.log(response.status, await response.text()));
`;

describe("the API in two replicas behind an Ingress, with an external database and a given token", () => {
  const installation: Installation = { namespace: "live", release: "live", fullname: "live-site-validator" };
  const token = `svt_${randomBytes(24).toString("hex")}`;
  let site: string;

  before(async () => {
    for (const namespace of ["watched", OUTSIDE, installation.namespace]) await createNamespace(namespace);
    site = await deploySite("watched", faultySite(120));
    await makeSecret("our-database", "url", await deployDatabase(OUTSIDE));
    await makeSecret("our-token", "token", token);
    const given = ["database.existingSecret=our-database", "firstToken.existingSecret=our-token"];
    const replicas = ["api.replicas=2", `limits.requestsPerMinute=${LIMIT}`];
    await upgrade(installation, { set: ["postgresql.enabled=false", ...given, ...replicas] });
  });
  after(async () => {
    await remove("live");
    await deleteNamespaces("watched", OUTSIDE);
  });

  const makeSecret = (name: string, key: string, value: string) =>
    kubectl(["create", "secret", "generic", name, "-n", installation.namespace, `--from-literal=${key}=${value}`]);

  it("completes a Report there, which only that token can read", async () => {
    const { namespace } = installation;
    expect(await kubectl(["get", "statefulsets,persistentvolumeclaims", "-n", namespace, "-o", "name"])).to.equal("");
    await applyReport(namespace, "ours", { startingUrl: site, maxPages: 3, rateLimit: MAX_RATE_LIMIT });
    await kubectl(["wait", "-n", namespace, "--for=condition=Complete", "--timeout=200s", "report/ours"]);
    const id = (await getReport(namespace, "ours")).metadata.uid;
    expect((await findingsOf(token, id)).pages).to.equal(3);
    const stranger = await throughIngress(`/api/v1/reports/${id}`, { token: `${token}0` });
    expect(stranger.status).to.equal(401);
  });

  /** A request to one replica. @returns the status and the body */
  const within = (pod: string, path: string, method = "GET") =>
    kubectl([
      ...["exec", "-n", installation.namespace, pod, "-c", "api", "--"],
      ...["node", "-e", fetchHere, path, method, token],
    ]);

  it("streams a report's progress, and its end when it is deleted on the other replica", async () => {
    const id = await postReport(token, { starting_url: site, rate_limit: 1, perform_a11y_checks: false });
    const { response, text } = await openEvents(`/api/v1/reports/${id}/events`, token);
    expect([response.statusCode, response.headers["content-type"]]).to.deep.equal([
      200,
      "text/event-stream; charset=utf-8",
    ]);
    await poll(async () => /^event: report$/m.test(text()));
    await poll(async () => /"phase":"(Crawling|Checking)"/.test(text()));

    const { items } = await getJson<{ items: { metadata: { name: string } }[] }>([
      ...["pods", "-n", installation.namespace, "-l", "app.kubernetes.io/component=api"],
    ]);
    const pods = items.map(({ metadata }) => metadata.name);
    const watchers = await Promise.all(
      pods.map(async (pod) => (await within(pod, "/metrics")).match(/^site_validator_watchers (\d+)$/m)?.[1]),
    );
    expect(watchers).to.have.members(["1", "0"]);
    const other = pods[watchers.indexOf("0")] ?? "";
    const ended = once(response, "end");
    expect(await within(other, `/api/v1/reports/${id}`, "DELETE")).to.match(/^204/);
    await ended;
    expect(text()).to.match(/event: end\ndata: \{"reason":"deleted"\}\n\n$/);
  });

  it("applies the rate limit over both together", async () => {
    const ask = () => throughIngress("/api/v1/devices/default", { token });
    // A minute begins and ends for all replicas at once; the calls below must fall into one minute.
    await poll(async () => {
      const { headers } = await ask();
      expect(headers).to.have.property("ratelimit-reset");
      return Number(headers["ratelimit-reset"]) >= SECONDS_LEFT;
    });
    const responses = await Promise.all(Array.from({ length: 3 * LIMIT }, ask));
    const admitted = responses.filter(({ status }) => status === 200).length;
    // Some calls were made above, and calls that one replica reserves in advance may be lost to the other.
    expect(admitted).to.be.within(0.75 * LIMIT, LIMIT);
    expect(new Set(responses.map(({ status }) => status))).to.deep.equal(new Set([200, 429]));
  });
});
