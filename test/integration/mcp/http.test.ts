import { expect } from "chai";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { openHtmlTool } from "../../../src/main/wiring/tools-html.ts";
import { serveMessage } from "../../../src/mcp/http.ts";
import { accountWithToken, guestWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { CACHE } from "../../support/cache.ts";
import { runReport } from "../../support/compared-sites.ts";
import { testLog } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { connectHttpTools, type ToolClient } from "../../support/mcp-client.ts";

describe("/mcp of the service", () => {
  let database: TestDatabase;
  let api: TestApi;
  const html = openHtmlTool({ cacheDir: CACHE }, testLog);
  const clients: ToolClient[] = [];
  let accountId: string;
  let token: string;
  let report: string;

  const start = (overrides: object = {}) =>
    startTestApi(database, {
      tools: async (exchange, port) =>
        serveMessage(exchange, port, { version: "1", checkHtml: html.checkHtml, guides: api.deps.guides }),
      ...overrides,
    });
  const as = async (credentials: string, url = api.url): Promise<ToolClient> => {
    const client = await connectHttpTools(url, credentials);
    clients.push(client);
    return client;
  };
  const send = (headers: Record<string, string>, body: string, method = "POST") =>
    fetch(`${api.url}/mcp`, {
      method,
      headers: { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers },
      ...(method === "POST" && { body }),
    });
  const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

  before(async () => {
    database = await createTestDatabase();
    api = await start();
    ({ accountId, token } = await accountWithToken(database));
    report = await runReport(database.db, accountId, {
      "/": ["alt logo header", "alt cake main", "lang *"],
      "/a": ["alt logo header"],
    });
  });
  after(async () => {
    for (const client of clients) await client.close();
    await html.close();
    await api.close();
    await database.drop();
  });

  it("wants a token of the API, and keeps nothing between requests", async () => {
    const missing = await send({}, list);
    expect(missing.status).to.equal(401);
    expect(missing.headers.get("www-authenticate")).to.match(/^Bearer /);
    expect((await send({ authorization: "Bearer no-such-token-at-all" }, list)).status).to.equal(401);
    const own = { authorization: `Bearer ${token}` };
    const listed = await send(own, list);
    expect(listed.status).to.equal(200);
    expect(listed.headers.get("mcp-session-id")).to.equal(null);
    const got = await send(own, "", "GET");
    expect([got.status, got.headers.get("allow")]).to.deep.equal([405, "POST"]);
    for (const body of [`[${list},${list}]`, "{", "1", ""]) expect((await send(own, body)).status, body).to.equal(400);
    expect((await send(own, `{"x":"${"a".repeat(5_000_000)}"}`)).status).to.equal(413);
  });

  it("offers no files, and answers of reviews besides", async () => {
    const { client, call } = await as(token);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).to.include("mute_finding").and.not.include("check_files");
    const { text } = await call("verify_fix", {
      path: "/etc/passwd",
      edits: [{ line: 1, column: 1, old: "", new: "x" }],
    });
    expect(text).to.include("No files may be read here");
    expect((await call("check_files", { path: "/etc" })).text).to.include("There is no tool of this name");
  });

  it("checks a source, and reads reports with the numbers of the API", async () => {
    const { call } = await as(token);
    const checked = await call("check_html", { source: '<!DOCTYPE html><html lang="en"><title>x</title><p><b>y' });
    expect(checked.text).to.match(/^1 error and 0 warnings|^2 errors and 0 warnings/);
    const read = await call("get_report", { report_id: report });
    const { json } = await api.as(token)("GET", `/reports/${report}/causes`);
    const meta = json.meta as unknown as { how_many: number; total: number };
    expect(read.text).to.include(`of ${meta.how_many} errors`);
    expect((await call("list_causes", { report_id: report })).text).to.match(
      new RegExp(`^${meta.total} causes of ${meta.how_many} errors`),
    );
  });

  it("starts a report as the API does, and refuses what that refuses", async () => {
    const { call } = await as(token);
    const { text } = await call("check_site", { url: "https://example.com/", max_pages: 3, checks: ["html", "a11y"] });
    const [, id] = /report (\S+)\./.exec(text) ?? expect.fail(text);
    const { data } = (await api.as(token)("GET", `/reports/${id}`)).json;
    expect(data.attributes).to.include({ max_pages: 3, perform_html_checks: true, perform_a11y_checks: true });
    expect((await call("get_report", { report_id: id, wait_seconds: 0 })).text).to.include("It has not ended");
    const refused = await call("check_site", { url: "ftp://example.com/" });
    expect(refused.isError).to.equal(true);
    expect(refused.text).to.include("http");
    const many = await call("check_site", { url: "https://example.com/", max_pages: 9_999 });
    expect(many.text).to.match(/max_pages.*5000|5,000/);
  });

  it("mutes a finding for who may write, and for nobody else", async () => {
    const { token: reader } = await createToken(database.db, { accountId, name: "reader", scope: "read" });
    const { token: other } = await accountWithToken(database);
    const { call } = await as(token);
    const { entries } = await call("list_findings", { report_id: report });
    const answered = {
      fingerprint: entries[0]?.fingerprint,
      category: "false_positive",
      reason: "It is decoration, says Ada.",
    };
    const reading = await as(reader);
    expect((await reading.call("list_findings", { report_id: report })).isError).to.equal(false);
    for (const [tool, args] of [
      ["mute_finding", answered],
      ["check_site", { url: "https://example.com/" }],
    ] as const) {
      const { isError, text } = await reading.call(tool, args);
      expect(isError).to.equal(true);
      expect(text).to.include('needs a token with the scope "write"');
    }
    expect((await (await as(other)).call("list_findings", { report_id: report })).text).to.include("no such report");
    expect((await call("mute_finding", answered)).text).to.match(/^Muted: muting \d+\./);
    expect((await call("mute_finding", { ...answered, category: "later" })).text).to.include("expires_at");
  });

  it("gives a guest what a guest has", async () => {
    const guest = await guestWithToken(database, accountId);
    const { call } = await as(guest.token);
    expect((await call("list_findings", { report_id: report })).text).to.include("no such report");
    expect((await call("list_reports")).text).to.match(/^0 reports/);
  });

  it("counts messages, and what tools ask of the API, as calls", async () => {
    const limited = await start({ requestsPerMinute: 6 });
    try {
      const { token: fresh } = await accountWithToken(database);
      // Initialize, its notification, and the messages of two calls of tools with a call of the API in each.
      const { call } = await as(fresh, limited.url);
      for (let calls = 0; calls < 2; calls++) expect((await call("list_reports")).isError).to.equal(false);
      const refused = await call("list_reports").then(
        () => "",
        (error: Error) => error.message,
      );
      expect(refused).to.include("The limit is 6 calls a minute");
    } finally {
      await limited.close();
    }
  });
});
