import { readFile, rename, stat } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { expect } from "chai";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import { API_VERSION, annotations } from "../../../src/schema/resources.ts";
import { guestWithToken } from "../../support/api.ts";
import { reportSpec } from "../../support/builders.ts";
import { testLog } from "../../support/controller.ts";
import { createTestDatabase } from "../../support/database.ts";
import { serveReceiver } from "../../support/receiver-server.ts";
import { openSandbox, type RunningProgram, type Sandbox } from "../../support/run-program.ts";
import { scheduleSpec } from "../../support/schedules.ts";
import { type Route, type Routes, serveSite } from "../../support/site.ts";
import { eventually } from "../../support/wait.ts";

type Counts = { pending: number; checked: number; failed: number };
type ReportDocument = {
  data: {
    id: string;
    attributes: {
      phase: string;
      num_pages: number;
      checks: { html: { status: Counts; reused: number; issues: { errors: number; warnings: number } } };
    };
  };
};

const page = (body: string) =>
  `<!DOCTYPE html>\n<html lang="en">\n<head><title>A page</title></head>\n<body>\n<h1>A page</h1>\n${body}\n</body>\n</html>\n`;

describe("standalone", () => {
  let sandbox: Sandbox;

  before(async () => {
    sandbox = await openSandbox();
  });
  after(async () => {
    await sandbox.close();
  });

  const dataDir = (name: string) => path.join(sandbox.folder, "closed", name);

  async function start(name: string, env: Record<string, string> = {}): Promise<Service> {
    const program = sandbox.start(["standalone"], {
      DATA_DIR: dataDir(name),
      PORT: "0",
      REQUESTS_PER_MINUTE: "0",
      ...env,
    });
    const failed = program.ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
    failed.catch(() => {});
    await Promise.race([eventually(() => program.stdout().includes("starting_url")), failed]);
    const url = /listens on (\S+)/.exec(program.stdout())?.[1] ?? "";
    const file = / (\S+first-token\S*)$/m.exec(program.stdout())?.[1] ?? "";
    return { program, url, file, token: (await readFile(file, "utf8")).trim() };
  }

  it("prints its URL, the first token and a curl command that works", async () => {
    const site = await serveSite({ "/": page("<p>Fine</p>") });
    const service = await start("first");
    const printed = service.program.stdout();
    expect(printed).to.include(`Token:  ${service.token}\n`);
    expect(printed).to.match(/Reports that start at this machine \(localhost, 127\.0\.0\.0\/8, ::1\) may crawl it/);
    expect((await stat(service.file)).mode & 0o777).to.equal(0o600);
    const line = /curl[\s\S]*}}}'/.exec(printed)?.[0].replace("https://example.com/", site.url) ?? "";
    // The arguments of the line, as a shell would pass them to curl.
    const url = /http:\S+reports/.exec(line)?.[0] ?? "";
    const body = /-d '(.*)'/.exec(line)?.[1] ?? "";
    const posted = await fetch(url, {
      method: "POST",
      headers: { Authorization: `Bearer ${service.token}`, "Content-Type": "application/json" },
      body,
    });
    expect(posted.status).to.equal(201);
    const report = await complete(service, ((await posted.json()) as ReportDocument).data.id);
    expect(report).to.include({ phase: "Complete", num_pages: 1 });

    service.program.kill("SIGTERM");
    expect((await service.program.ended).code).to.equal(0);
    await eventually(() => sandbox.leftProcesses().length === 0);
    expect(await sandbox.leftFiles()).to.deep.equal([]);

    const again = await start("first");
    expect(again.token).to.equal(service.token);
    expect(again.program.stdout()).not.to.include(service.token);
    const list = (await get(again, "/reports")) as unknown as { data: ReportDocument["data"][] };
    expect(list.data.map(({ attributes }) => attributes.phase)).to.deep.equal(["Complete"]);
    again.program.kill("SIGTERM");
    expect((await again.program.ended).code).to.equal(0);
    await site.close();
  });

  it("goes on after kill -9 in the middle of a report, and completes it with nothing lost or repeated", async () => {
    const total = 40;
    const routes: Routes = Object.fromEntries(
      Array.from({ length: total }, (_, n) => [`/${n || ""}`, page(`<a href="/${n + 1}">next</a>\n<p><b>x</i></p>`)]),
    );
    routes[`/${total}`] = { status: 404 };
    const site = await serveSite(routes);
    const service = await start("killed");
    const body = { starting_url: site.url, max_pages: 100, rate_limit: 25 };
    const { id } = (await post(service, "/reports", body)).data;
    await eventually(() => site.requests.length >= 10);
    service.program.kill("SIGKILL");
    await service.program.ended;
    expect(site.requests.length).to.be.lessThan(total);

    const again = await start("killed");
    const report = await complete(again, id);
    expect(report).to.include({ phase: "Complete", num_pages: total + 1 });
    expect(report.checks.html.status).to.deep.equal({ pending: 0, checked: total, failed: 1 });
    const pages = (await get(again, `/reports/${id}/web_pages?page[size]=100`)) as unknown as {
      data: { attributes: { url: string; status: string; html_check: { errors: number } } }[];
    };
    const urls = pages.data.map(({ attributes }) => attributes.url);
    expect(new Set(urls).size).to.equal(total + 1);
    expect(urls).to.have.lengthOf(total + 1);
    const errors = pages.data.reduce((sum, { attributes }) => sum + attributes.html_check.errors, 0);
    expect(errors).to.equal(report.checks.html.issues.errors);
    expect(errors % total).to.equal(0);
    again.program.kill("SIGTERM");
    expect((await again.program.ended).code).to.equal(0);
    await site.close();
  });

  it("checks a site behind Basic authentication, also after kill -9 in the middle", async () => {
    const authorization = `Basic ${Buffer.from("ada:correct horse").toString("base64")}`;
    let held = true;
    const guarded =
      (body: string): Route =>
      (request, response) => {
        const known = request.headers.authorization === authorization;
        if (known && held && request.url === "/slow") return;
        response.writeHead(known ? 200 : 401, { "content-type": "text/html" });
        response.end(known ? page(body) : "<p>Who are you?");
      };
    const site = await serveSite({ "/": guarded('<a href="/slow">slow</a>'), "/slow": guarded("<p>Fine</p>") });
    let service = await start("guarded");
    const { id: basic_auth_id } = (
      await post(service, "/basic_auths", { host: new URL(site.url).host, username: "ada", password: "correct horse" })
    ).data;
    const { id } = (await post(service, "/reports", { starting_url: site.url, rate_limit: 25, basic_auth_id })).data;
    await eventually(() => site.requests.some((request) => request.path === "/slow"));
    service.program.kill("SIGKILL");
    await service.program.ended;
    held = false;
    service = await start("guarded");
    expect(await complete(service, id)).to.include({ phase: "Complete", num_pages: 2 });
    expect(service.program.stderr()).not.to.include("correct horse");
    service.program.kill("SIGTERM");
    expect((await service.program.ended).code).to.equal(0);
    await site.close();
  });

  it("runs a schedule for each deploy, one after the other, and again after kill -9", async () => {
    const site = await serveSite({ "/": page("<p>Fine</p>") });
    let service = await start("scheduled");
    const { id, attributes } = (
      await post(service, "/schedules", { starting_url: site.url, periodicity: null, perform_a11y_checks: false })
    ).data as unknown as {
      id: string;
      attributes: { deploy_hook_url: string };
    };
    const deploy = async () => {
      const hook = new URL(attributes.deploy_hook_url).pathname;
      const answer = await fetch(new URL(hook, service.url), { method: "POST" });
      expect(answer.status).to.equal(202);
      return ((await answer.json()) as ReportDocument).data.id;
    };
    const ids = [await deploy(), await deploy()];
    expect(await deploy()).to.equal(ids[1]);
    service.program.kill("SIGKILL");
    await service.program.ended;
    service = await start("scheduled");
    for (const report of ids) {
      expect(await complete(service, report)).to.include({ phase: "Complete", num_pages: 1 });
    }
    ids.push(await deploy());
    expect(await complete(service, ids[2] ?? "")).to.include({ phase: "Complete" });
    const listed = (await get(service, `/reports?filter[schedule_id]=${id}`)) as unknown as { data: { id: string }[] };
    expect(listed.data.map((report) => report.id)).to.have.members(ids);
    service.program.kill("SIGTERM");
    expect((await service.program.ended).code).to.equal(0);
    await site.close();
  });

  it("tells a receiver after kill -9 what it could not be told before, with the same id", async () => {
    const receiver = await serveReceiver();
    receiver.answer("/in", () => {});
    const env = { RECEIVER_PRIVATE_CIDRS: "127.0.0.0/8" };
    let service = await start("telling", env);
    const events = ["report.failed"];
    await post(service, "/receivers", { kind: "webhook", name: "Tickets", url: `${receiver.url}/in`, events });
    const nowhere = await serveSite({});
    await nowhere.close();
    await post(service, "/reports", { starting_url: nowhere.url });
    await eventually(() => receiver.got.length === 1);
    service.program.kill("SIGKILL");
    await service.program.ended;

    receiver.answer("/in", (response) => response.writeHead(204).end());
    service = await start("telling", env);
    await eventually(() => receiver.got.length === 2);
    expect(new Set(receiver.got.map(({ headers }) => headers["webhook-id"])).size).to.equal(1);
    const delivered = async () => {
      const { data } = (await get(service, "/deliveries")) as unknown as { data: { attributes: { state: string } }[] };
      return data.map(({ attributes }) => attributes.state).join() === "delivered";
    };
    await eventually(delivered);
    service.program.kill("SIGTERM");
    expect((await service.program.ended).code).to.equal(0);
    await receiver.close();
  });

  it("says so when the port or the data folder is in use", async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
    const { port } = holder.address() as { port: number };
    const taken = await sandbox.start(["standalone"], { DATA_DIR: dataDir("taken"), PORT: String(port) }).ended;
    expect(taken.stderr).to.match(new RegExp(`Port ${port} of 127.0.0.1 is in use.*PORT`));
    expect(taken.code).to.equal(2);
    holder.close();

    const first = await start("taken");
    const second = await sandbox.start(["standalone"], { DATA_DIR: dataDir("taken"), PORT: "0" }).ended;
    expect(second.stderr).to.match(/data folder .*taken.* is in use.*DATA_DIR/);
    expect(second.code).to.equal(2);
    first.program.kill("SIGTERM");
    expect((await first.program.ended).code).to.equal(0);
  });

  it("says so when the data folder cannot be created", async () => {
    for (const folder of ["/proc/nope", "/proc/nope/deeper", "/dev/null", "/dev/null/below"]) {
      const { code, stderr } = await sandbox.start(["standalone"], { DATA_DIR: folder, PORT: "0" }).ended;
      expect(stderr, folder).to.include(`The data folder ${folder} cannot be used: `).and.include("Set DATA_DIR.");
      expect(code).to.equal(2);
    }
  });

  it("can be stopped while it starts, even if its database never responds", async () => {
    let connected = () => {};
    const connection = new Promise<void>((resolve) => {
      connected = resolve;
    });
    // It reads, so that it notices the end of the connection.
    const silent = createServer((socket) => {
      socket.resume();
      connected();
    });
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { port: number };
    const program = sandbox.start(["standalone"], {
      DATA_DIR: dataDir("stuck"),
      DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/none`,
    });
    await connection;
    program.kill("SIGTERM");
    const { code, stderr } = await program.ended;
    // By itself where a busy machine gave up the connection first.
    if (code === 0) expect(stderr).to.match(/"stopped during startup".*received SIGTERM/);
    else expect([code, stderr]).to.deep.equal([143, "Ended during startup: received SIGTERM.\n"]);
    silent.close();
  });

  const postmasterOf = async (name: string) =>
    Number((await readFile(path.join(dataDir(name), "postgresql", "postmaster.pid"), "utf8")).split("\n")[0]);

  it("checks only what has changed since the report before", async () => {
    const routes: Routes = { "/": page(Array.from({ length: 9 }, (_, at) => `<a href="/${at}">${at}</a>`).join("")) };
    for (let number = 0; number < 9; number++) routes[`/${number}`] = page(`<img src="x">${number}`);
    const site = await serveSite(routes);
    const service = await start("unchanged");
    const run = async () => {
      const wanted = { starting_url: site.url, perform_a11y_checks: false, rate_limit: 25 };
      const { data } = await post(service, "/reports", wanted);
      return (await complete(service, data.id)).checks.html;
    };
    const first = await run();
    expect(first).to.deep.include({ status: { pending: 0, checked: 10, failed: 0 }, reused: 0 });
    routes["/3"] = page("<img src=x alt=''><center>3</center>");
    const second = await run();
    expect(second).to.deep.include({ status: { pending: 0, checked: 10, failed: 0 }, reused: 9 });
    expect(second.issues.errors).to.equal(first.issues.errors);
    service.program.kill("SIGTERM");
    await service.program.ended;
    await site.close();
  });

  it("starts its PostgreSQL again when it was killed, and completes its report with nothing lost or repeated", async () => {
    const routes: Routes = {};
    for (let number = 0; number < 40; number++)
      routes[number === 0 ? "/" : `/${number}`] = page(`<img src="x"><a href="/${number + 1}">Next</a>`);
    const site = await serveSite(routes);
    const service = await start("killed-server");
    const report = await post(service, "/reports", {
      ...{ starting_url: site.url, max_pages: 40, rate_limit: 25, perform_a11y_checks: false },
    });
    for (const pages of [3, 20]) {
      await eventually(async () => {
        const { data } = await get(service, `/reports/${report.data.id}`);
        return data !== undefined && data.attributes.num_pages >= pages;
      });
      const killed = await postmasterOf("killed-server");
      process.kill(killed, "SIGKILL");
      // Without its database the API says that it is to be asked again, and the process stays alive.
      await eventually(async () => {
        const headers = { Authorization: `Bearer ${service.token}` };
        const reply = await fetch(`${service.url}/api/v1/reports`, { headers });
        if (reply.status === 503) expect(Number(reply.headers.get("retry-after"))).to.be.greaterThan(0);
        return (await postmasterOf("killed-server").catch(() => killed)) !== killed && reply.status === 200;
      });
    }
    const ended = await complete(service, report.data.id);
    expect(ended).to.include({ phase: "Complete", num_pages: 40 });
    expect(ended.checks.html.status).to.deep.equal({ pending: 0, checked: 40, failed: 0 });
    service.program.kill("SIGTERM");
    expect((await service.program.ended).code).to.equal(0);
    expect(sandbox.leftProcesses().filter((command) => command.startsWith("postgres"))).to.deep.equal([]);
    await site.close();
  });

  it("responds, and can be stopped, while its PostgreSQL cannot be started", async () => {
    const service = await start("down");
    const control = path.join(dataDir("down"), "postgresql", "global", "pg_control");
    const pid = await postmasterOf("down");
    await rename(control, `${control}.moved`);
    process.kill(pid, "SIGKILL");
    await eventually(() => service.program.stderr().includes("pg_control"));
    const headers = { Authorization: `Bearer ${service.token}` };
    const reply = await fetch(`${service.url}/api/v1/reports`, { headers });
    expect([reply.status, reply.headers.get("retry-after")]).to.deep.equal([503, "5"]);
    expect((await fetch(`${service.url}/healthz`)).status).to.equal(200);
    service.program.kill("SIGTERM");
    expect((await service.program.ended).code).to.equal(0);
    expect(sandbox.leftProcesses().filter((command) => command.startsWith("postgres"))).to.deep.equal([]);
  });

  it("ends, and says what to do, when its data is gone while it runs", async () => {
    const { program } = await start("gone");
    const folder = path.join(dataDir("gone"), "postgresql");
    const pid = await postmasterOf("gone");
    await rename(path.join(folder, "PG_VERSION"), path.join(folder, "moved"));
    process.kill(pid, "SIGKILL");
    const { code, stderr } = await program.ended;
    expect(stderr).to.include(
      `The service cannot continue: The data folder ${folder} has no data any more. Restore it`,
    );
    expect(code).to.equal(1);
  });

  it("keeps this machine closed to guests, also to reports and schedules that were made otherwise", async () => {
    const database = await createTestDatabase();
    const site = await serveSite({ "/": page("<p>Not for guests</p>") });
    const service = await start("guests", { DATABASE_URL: database.url });
    const { id: accountId } = await database.db.selectFrom("accounts").select("id").executeTakeFirstOrThrow();
    const guest = await guestWithToken(database, accountId);
    const cluster = createLocalCluster(database.db, { url: database.url, log: testLog });
    const owned = (name: string) => ({
      metadata: {
        ...{ name, namespace: "default" },
        annotations: { [annotations.account]: accountId, [annotations.guest]: guest.guestToken },
      },
    });
    // As kubectl makes them: by name and by address, with and without a browser.
    const { port } = new URL(site.url);
    for (const [name, startingUrl, dynamicCrawler] of [
      ["by-address", site.url, false],
      ["by-name", `http://localhost:${port}/`, false],
      ["in-a-browser", site.url, true],
    ] as const)
      await cluster.create<"Report">({
        ...{ apiVersion: API_VERSION, kind: "Report", ...owned(name) },
        spec: reportSpec({ startingUrl, dynamicCrawler }),
      });
    const schedule = await cluster.create<"Schedule">({
      ...{ apiVersion: API_VERSION, kind: "Schedule", ...owned("earlier") },
      spec: scheduleSpec({ startingUrl: site.url, periodicity: { every: "deploy" } }),
    });
    const asGuest = { ...service, token: guest.token };
    const hook = await eventually(async () => {
      const { data } = await get(asGuest, `/schedules/${schedule.metadata.uid}`);
      return (data as unknown as { attributes: { deploy_hook_url?: string } })?.attributes.deploy_hook_url;
    });
    expect((await fetch(new URL(new URL(hook).pathname, service.url), { method: "POST" })).status).to.equal(202);
    const ended = await eventually(async () => {
      const { data } = (await get(asGuest, "/reports")) as unknown as { data: ReportDocument["data"][] };
      return data.length === 4 && data.every(({ attributes }) => attributes.phase === "Failed") && data;
    });
    for (const { attributes } of ended)
      expect(attributes).to.have.nested.property("failure.code").that.equals("blocked_address");
    expect(site.requests).to.deep.equal([]);

    const refused = await post(asGuest, "/reports", { starting_url: site.url });
    expect(refused).to.have.nested.property("errors[0].code").that.equals("closed_to_guests");
    const hosts = await post(service, "/reports", { starting_url: site.url, perform_a11y_checks: false });
    expect(await complete(service, hosts.data.id)).to.include({ phase: "Complete", num_pages: 1 });
    service.program.kill("SIGTERM");
    expect((await service.program.ended).code).to.equal(0);
    await site.close();
    await database.drop();
  });

  it("uses only the PostgreSQL of DATABASE_URL, if there is one", async () => {
    const database = await createTestDatabase();
    const first = await start("external", { DATABASE_URL: database.url });
    expect((await get(first, "/reports")).data).to.deep.equal([]);
    const second = await sandbox.start(["standalone"], {
      DATA_DIR: dataDir("external"),
      DATABASE_URL: database.url,
      PORT: "0",
    }).ended;
    expect(second.stderr).to.match(/Another site-validator runs on this database/);
    expect(second.code).to.equal(2);
    first.program.kill("SIGTERM");
    expect((await first.program.ended).code).to.equal(0);
    await database.drop();
    const wrong = await sandbox.start(["standalone"], {
      DATA_DIR: dataDir("external"),
      DATABASE_URL: "postgres://nobody@127.0.0.1:9/none",
    }).ended;
    expect(wrong.stderr).to.match(/DATABASE_URL does not lead to a usable PostgreSQL: connect ECONNREFUSED/);
    expect(wrong.code).to.equal(2);
  });
});

type Service = { program: RunningProgram; url: string; file: string; token: string };

async function get(service: Service, address: string): Promise<ReportDocument> {
  const headers = { Authorization: `Bearer ${service.token}` };
  return (await (await fetch(`${service.url}/api/v1${address}`, { headers })).json()) as ReportDocument;
}

async function post(service: Service, address: string, attributes: object): Promise<ReportDocument> {
  const answer = await fetch(`${service.url}/api/v1${address}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${service.token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ data: { attributes } }),
  });
  return (await answer.json()) as ReportDocument;
}

function complete(service: Service, id: string): Promise<ReportDocument["data"]["attributes"]> {
  return eventually(async () => {
    // A follow-up has its id before it starts: until then the report is not found.
    const attributes = (await get(service, `/reports/${id}`)).data?.attributes;
    return attributes && ["Complete", "Failed"].includes(attributes.phase) && attributes;
  });
}
