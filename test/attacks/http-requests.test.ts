import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { startTestApi, type TestApi } from "../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { ambiguousRequests } from "./http-requests.ts";

/** Every part of the service that answers: routes, the reference, the page for guests, probes, and what does not exist. */
const paths = ["/api/v1/reports", "/api/v1/openapi.json", "/invitations/none", "/healthz", "/nothing"];

describe("a request that a proxy may read differently", () => {
  let database: TestDatabase;
  let api: TestApi;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
  });
  beforeEach(() => {
    api.logged.length = 0;
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  /** The bytes of all answers on one connection. */
  async function exchange(bytes: string): Promise<string> {
    const { port } = new URL(api.url);
    const socket = connect(Number(port), "127.0.0.1");
    // Left open: the service has to close it.
    socket.write(bytes, "latin1");
    return text(socket);
  }

  for (const { name, lines, inBody = false } of ambiguousRequests) {
    it(`is refused, and nothing after it is read, when it has ${name}`, async () => {
      for (const path of paths) {
        const [start = "", ...rest] = lines;
        const first = start.includes("evil.example") ? start : start.replace(" / ", ` ${path} `);
        const request = [first, ...rest].join("\r\n").replaceAll("HOST", new URL(api.url).host);
        const end = lines.includes("") ? "" : "\r\n\r\n";
        const smuggled = `GET /api/v1/devices HTTP/1.1\r\nHost: ${new URL(api.url).host}\r\n\r\n`;
        const answers = await exchange(request + end + smuggled);
        const statuses = [...answers.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status);
        // A body is refused when it is read, perhaps after the answer.
        if (inBody) expect(statuses[0], answers).to.match(/^4/);
        else expect(statuses, `${path}: ${answers}`).to.deep.equal(["400"]);
      }
      expect(api.logged.filter(({ route }) => route === "/api/v1/devices")).to.deep.equal([]);
    });
  }

  it("is not every request: a plain one is answered on every path", async () => {
    for (const path of paths) {
      const answer = await exchange(
        `GET ${path} HTTP/1.1\r\nHost: ${new URL(api.url).host}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).to.match(/^HTTP\/1\.1 (200|401|404) /);
    }
  });
});
