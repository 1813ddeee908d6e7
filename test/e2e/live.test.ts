import { once } from "node:events";
import { expect } from "chai";
import { createNamespace, kubectl, poll } from "./support/commands.ts";
import { openEvents } from "./support/event-stream.ts";
import { install, readSecret, remove, throughIngress } from "./support/installation.ts";
import { faultySite, postReport } from "./support/reports.ts";
import { deploySite } from "./support/site-pod.ts";

const LIMIT = 100;

describe("the API in two replicas behind an Ingress", () => {
  let token: string;
  let site: string;

  before(async () => {
    await createNamespace("watched");
    site = await deploySite("watched", faultySite(120));
    const installation = await install("live", { set: ["api.replicas=2", `limits.requestsPerMinute=${LIMIT}`] });
    token = await readSecret(installation, "first-token", "token");
  });
  after(async () => {
    await remove("live");
    await kubectl(["delete", "namespace", "watched", "--ignore-not-found", "--wait=false"]);
  });

  it("tells a report's progress while it runs, and its end when it is deleted on whichever replica", async () => {
    const id = await postReport(token, { starting_url: site, rate_limit: 1, perform_a11y_checks: false });
    const { answer, text } = await openEvents(`/api/v1/reports/${id}/events`, token);
    expect([answer.statusCode, answer.headers["content-type"]]).to.deep.equal([
      200,
      "text/event-stream; charset=utf-8",
    ]);
    await poll(async () => /^event: report$/m.test(text()));
    await poll(async () => /"phase":"(Crawling|Checking)"/.test(text()));
    const ended = once(answer, "end");
    // Over other connections, which the Ingress gives to both replicas in turn.
    expect((await throughIngress(`/api/v1/reports/${id}`, { method: "DELETE", token })).status).to.equal(204);
    await ended;
    expect(text()).to.match(/event: end\ndata: \{"reason":"deleted"\}\n\n$/);
  });

  it("holds the limit of calls over both", async () => {
    const ask = () => throughIngress("/api/v1/devices/default", { token });
    const asked = Date.now();
    const answers = await Promise.all(Array.from({ length: 3 * LIMIT }, ask));
    const admitted = answers.filter(({ status }) => status === 200).length;
    const windows = 1 + Math.ceil((Date.now() - asked) / 60_000);
    expect(admitted).to.be.within(0.75 * LIMIT, windows * LIMIT);
    expect(answers.map(({ status }) => status)).to.include(429);
  });
});
