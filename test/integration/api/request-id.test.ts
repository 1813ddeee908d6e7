import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";
import { serveSite } from "../../support/site.ts";
import { eventually } from "../../support/wait.ts";

type Line = { program: string; message: string; requestId?: string; report?: string };

describe("a request's id", () => {
  let sandbox: Sandbox;

  before(async () => {
    sandbox = await openSandbox();
  });
  after(async () => {
    await sandbox.close();
  });

  it("is in the log lines of api, controller, crawler and checker, under one name", async () => {
    const site = await serveSite({ "/": "<!DOCTYPE html>\n<title>A page</title>\n" });
    const data = path.join(sandbox.folder, "closed", "data");
    const service = sandbox.start(["standalone"], { DATA_DIR: data, PORT: "0" });
    await eventually(() => service.stdout().includes("starting_url"));
    const url = /listens on (\S+)/.exec(service.stdout())?.[1] ?? "";
    const token = (await readFile(path.join(data, "first-token"), "utf8")).trim();
    const posted = await fetch(`${url}/api/v1/reports`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        "X-Request-Id": "follow-me.1",
      },
      body: JSON.stringify({ data: { attributes: { starting_url: site.url, perform_a11y_checks: false } } }),
    });
    expect(posted.headers.get("x-request-id")).to.equal("follow-me.1");
    const { id } = ((await posted.json()) as { data: { id: string } }).data;
    const last = ["the crawl has ended", "all checks have ended", "report ended"];
    await eventually(() => last.every((message) => service.stderr().includes(`"${message}"`)));
    service.kill("SIGTERM");
    const { stderr } = await service.ended;

    const lines = stderr
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Line);
    const followed = lines.filter(({ requestId }) => requestId === "follow-me.1");
    expect(new Set(followed.map(({ program, message }) => `${program}: ${message}`))).to.deep.equal(
      new Set([
        "standalone: request",
        "standalone: job created",
        "standalone: report ended",
        "crawler: crawling",
        "crawler: the crawl has ended",
        "checker: all checks have ended",
      ]),
    );
    const ofReport = followed.filter(({ message }) => message !== "request");
    expect(new Set(ofReport.map(({ report }) => report))).to.deep.equal(new Set([id]));
    expect(stderr).not.to.include(token);
    await site.close();
  });
});
