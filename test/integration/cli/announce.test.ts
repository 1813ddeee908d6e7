import { writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect } from "chai";
import { announceTo } from "../../../src/cli/check/announce/announce.ts";
import type { Announcement } from "../../../src/cli/check/announce/announcement.ts";
import type { ForgeName } from "../../../src/cli/check/announce/forge.ts";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";

type Asked = { request: string; body: Record<string, unknown>; headers: IncomingMessage["headers"] };
type Note = { id: number; body: string; author: number };
const OURS = 7;

/** The parts of GitHub and GitLab that are asked for, with a discussion of their own. */
async function serveForge() {
  const asked: Asked[] = [];
  const notes: Note[] = [];
  let refuses = "";
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const body = text === "" ? {} : JSON.parse(text);
      const name = `${request.method} ${request.url}`;
      asked.push({ request: name, body, headers: request.headers });
      if (refuses !== "" && refuses !== "graphql" && name.includes(refuses))
        return response.writeHead(403).end('{"message":"no\u001b[31m right"}');
      response.end(JSON.stringify(answer(name, body)));
    });
  });
  function answer(name: string, body: { body?: string; variables?: { after: string | null } }): unknown {
    const changed = notes.find(({ id }) => name.startsWith("P") && name.endsWith(`/${id}`));
    if (changed) return Object.assign(changed, { body: body.body });
    if (name === "GET /user") return { id: OURS };
    if (name === "POST /graphql" && refuses === "graphql") return { data: null, errors: [{ message: "rate limit" }] };
    if (name === "POST /graphql") {
      const from = Number(body.variables?.after ?? 0);
      const nodes = notes
        .slice(from, from + 100)
        .map((one) => ({ fullDatabaseId: String(one.id), body: one.body, viewerDidAuthor: one.author === OURS }));
      const pageInfo = { hasNextPage: from + 100 < notes.length, endCursor: String(from + 100) };
      return { data: { repository: { pullRequest: { comments: { nodes, pageInfo } } } } };
    }
    if (name.startsWith("GET")) {
      const from = (Number(new URL(name.slice(4), "http://forge").searchParams.get("page")) - 1) * 100;
      return notes.slice(from, from + 100).map((one) => ({ ...one, author: { id: one.author } }));
    }
    if (/comments$|notes$/.test(name)) notes.push({ id: 100 + notes.length, body: body.body ?? "", author: OURS });
    return {};
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ asked, notes },
    refuse: (part: string) => {
      refuses = part;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

describe("A result is announced beside its commit", () => {
  let forge: Awaited<ReturnType<typeof serveForge>>;
  let sandbox: Sandbox;
  let environments: Record<ForgeName, NodeJS.ProcessEnv>;
  before(async () => {
    sandbox = await openSandbox();
  });
  after(() => sandbox?.close());
  beforeEach(async () => {
    forge = await serveForge();
    const event = path.join(sandbox.folder, "event.json");
    await writeFile(event, JSON.stringify({ pull_request: { number: 12, head: { sha: "beef" } } }));
    environments = {
      github: {
        ...{ GITHUB_TOKEN: "secret", GITHUB_REPOSITORY: "city/site", GITHUB_SHA: "cafe", GITHUB_EVENT_PATH: event },
        ...{ GITHUB_API_URL: forge.url, GITHUB_GRAPHQL_URL: `${forge.url}/graphql`, GITHUB_RUN_ID: "5" },
      },
      gitlab: {
        ...{ GITLAB_TOKEN: "secret", CI_API_V4_URL: forge.url, CI_PROJECT_ID: "3", CI_COMMIT_SHA: "beef" },
        ...{ CI_MERGE_REQUEST_IID: "12", CI_JOB_URL: "https://git.example/jobs/5", CI_PIPELINE_ID: "9" },
      },
    };
  });
  afterEach(() => forge.close());

  const result: Announcement = { state: "failed", target: "dist", description: "3 errors", markdown: "## dist failed" };
  const announce = async (name: ForgeName, given: Partial<Announcement> = {}, env = environments[name]) =>
    (await announceTo(name, env))({ ...result, ...given });

  for (const [name, status, comment] of [
    ["github", "POST /repos/city/site/statuses/beef", "POST /repos/city/site/issues/12/comments"],
    ["gitlab", "POST /projects/3/statuses/beef", "POST /projects/3/merge_requests/12/notes"],
  ] as const)
    describe(`at ${name}`, () => {
      it("as a status of the commit that people see, and one comment on its pull request", async () => {
        expect(await announce(name)).to.equal(undefined);
        const set = forge.asked.find(({ request }) => request === status);
        expect(set?.body).to.include({ description: "3 errors", state: name === "github" ? "failure" : "failed" });
        expect(Object.values(set?.body ?? {})).to.include("site-validator: dist");
        expect(forge.asked.map(({ request }) => request)).to.include(comment);
        expect(forge.notes.map(({ body }) => body)).to.deep.equal(["<!-- site-validator: dist -->\n## dist failed"]);
        for (const { headers } of forge.asked) expect(JSON.stringify(headers)).to.include("secret");
      });

      it("in the same comment by the next run, and in another one for another target", async () => {
        await announce(name);
        forge.notes.unshift(
          ...Array.from({ length: 120 }, (_, index) => ({ id: 3_000_000_000 + index, body: "Nice!", author: 1 })),
        );
        await announce(name, { markdown: "## dist passed" });
        await announce(name, { target: "docs --> <b>" });
        expect(forge.notes.slice(120).map(({ body }) => body)).to.deep.equal([
          "<!-- site-validator: dist -->\n## dist passed",
          "<!-- site-validator: docs -%2D%3E <b%3E -->\n## dist failed",
        ]);
      });

      it("and changes no comment of somebody else, whatever it begins with", async () => {
        forge.notes.push({ id: 5, body: "<!-- site-validator: dist -->\nmine", author: 1 });
        await announce(name);
        expect(forge.notes.map(({ body }) => body)).to.deep.equal([
          "<!-- site-validator: dist -->\nmine",
          "<!-- site-validator: dist -->\n## dist failed",
        ]);
      });

      it("as a status alone where there is no pull request", async () => {
        const { GITHUB_EVENT_PATH: _, CI_MERGE_REQUEST_IID: __, ...env } = environments[name];
        expect(await announce(name, {}, env)).to.equal(undefined);
        expect(forge.asked).to.have.length(1);
      });

      it("or says what was refused, and does the other nevertheless", async () => {
        forge.refuse("statuses");
        expect(await announce(name)).to.match(
          /^The commit's status could not be set: 127\.0\.0\.1:\d+ answered 403: .*right/,
        );
        expect(forge.notes).to.have.length(1);
      });

      it("cut to what a comment may have", async () => {
        await announce(name, { markdown: "x".repeat(2_000_000) });
        const [least, most] = name === "github" ? [60_000, 65_536] : [800_000, 1_000_000];
        expect(forge.notes[0]?.body.length).to.be.within(least, most);
        expect(forge.notes[0]?.body).to.include("The rest is left out");
      });

      it("only with a token, which is asked for before anything is checked", async () => {
        const { GITHUB_TOKEN: _, GITLAB_TOKEN: __, ...env } = environments[name];
        const error = await announce(name, {}, env).catch((reason: Error) => reason);
        expect(String(error)).to.match(/needs a (project access )?token.*: set GIT(HUB|LAB)_TOKEN in the environment/);
      });
    });

  it("at GitHub in no second comment where GraphQL refuses with 200", async () => {
    await announce("github");
    forge.refuse("graphql");
    expect(await announce("github")).to.match(/could not be written: .*rate limit/);
    expect(forge.notes).to.have.length(1);
  });

  it("at GitLab on the merge request of the target, also by a pipeline of a fork", async () => {
    await announce("gitlab", {}, { ...environments.gitlab, CI_PROJECT_ID: "22", CI_MERGE_REQUEST_PROJECT_ID: "11" });
    const asked = forge.asked.map(({ request }) => request);
    expect(asked)
      .to.include("POST /projects/22/statuses/beef")
      .and.to.include("POST /projects/11/merge_requests/12/notes");
  });
});
