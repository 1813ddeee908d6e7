import { once } from "node:events";
import { expect } from "chai";
import { createNamespace, deleteNamespaces, getJson, kubectl, poll } from "./support/commands.ts";
import { openEvents } from "./support/event-stream.ts";
import { type Installation, install, readSecret, remove, throughIngress } from "./support/installation.ts";
import { faultySite, postReport } from "./support/reports.ts";
import { deploySite } from "./support/site-pod.ts";

const LIMIT = 100;
/** Longer than a burst of calls takes. */
const SECONDS_LEFT = 20;

/** Requests the API of its own pod. */
const fetchHere = `
  const [path, method, token] = process.argv.slice(1);
  fetch("http://127.0.0.1:4000" + path, { method, headers: { authorization: "Bearer " + token } })
    .then(async (response) => console.log(response.status, await response.text()));
`;

describe("the API in two replicas behind an Ingress", () => {
  let installation: Installation;
  let token: string;
  let site: string;

  before(async () => {
    await createNamespace("watched");
    site = await deploySite("watched", faultySite(120));
    installation = await install("live", { set: ["api.replicas=2", `limits.requestsPerMinute=${LIMIT}`] });
    token = await readSecret(installation, "first-token", "token");
  });
  after(async () => {
    await remove("live");
    await deleteNamespaces("watched");
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
