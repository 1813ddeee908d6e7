import { once } from "node:events";
import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { findJava } from "../../src/checker/engines/nu/find-java.ts";
import { NotConnectedError, postDocument } from "../../src/checker/engines/nu/post-document.ts";
import { createNuServer, type NuOptions } from "../../src/checker/engines/nu/server.ts";
import { BrokenEnvironmentError } from "../../src/domain/errors.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { childrenOf } from "../support/child-processes.ts";

const silent = createLogger("error", {});
silent.silent = true;

describe("a Java that is none", () => {
  let folder: string;
  const outer = process.env.TMPDIR;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "no-java-"));
    process.env.TMPDIR = folder;
  });
  after(async () => {
    if (outer === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = outer;
    await rm(folder, { recursive: true, force: true });
  });

  const script = async (name: string, body: string): Promise<string> => {
    const file = path.join(folder, name);
    await writeFile(file, `#!/bin/sh\n${body}\n`);
    await chmod(file, 0o755);
    return file;
  };

  for (const { name, body, said } of [
    { name: "old", body: `echo 'openjdk version "11.0.2" 2019-01-15' >&2`, said: "is Java 11." },
    { name: "ancient", body: `echo 'java version "1.8.0_292"' >&2`, said: "is Java 8." },
    {
      name: "garbage",
      body: "printf '\\0\\033[31mhello'",
      said: 'does not print a version, but "\\u0000\\u001b[31mhello"',
    },
    { name: "talking", body: "yes", said: "prints more than a version" },
    { name: "failing", body: "echo Unable to locate a Java Runtime. >&2; exit 1", said: "cannot be started" },
  ])
    it(`is refused when it is ${name}`, async () => {
      const java = await script(name, body);
      const found = await findJava([path.join(folder, "missing"), folder, java]);
      expect(found).to.have.property("available", false);
      expect(found).to.have.property("reason").that.contains(`needs Java 17 or newer: ${java} `).and.contains(said);
      expect(found).to.have.property("install").that.contains("JAVA_HOME");
    });

  it("is passed over for a better one", async () => {
    const java = await script("new", `echo 'openjdk version "26-ea" 2026-03-17' >&2`);
    const found = await findJava([await script("older", `echo 'java version "1.8.0"'`), java]);
    expect(found).to.include({ available: true, java });
    expect(found)
      .to.have.property("jar")
      .that.matches(/vnu\.jar$/);
  });

  for (const { name, body, options, said } of [
    { name: "ends", body: "echo no heap >&2; exit 1", options: {}, said: "the last one: exit code 1: no heap" },
    {
      name: "hangs",
      body: "sleep 1000",
      options: { startTimeoutMs: 300 },
      said: "the last one: not ready after 0.3 s",
    },
    {
      name: "prints without end",
      body: "yes 'Started ServerConnector@1{127.0.0.1:99999999}'",
      options: { startTimeoutMs: 300 },
      said: "the last one: not ready after 0.3 s",
    },
  ] satisfies { name: string; body: string; options: Partial<NuOptions>; said: string }[])
    it(`that ${name} rejects documents when its starts have failed for long enough, and leaves nothing behind`, async () => {
      const java = await script(name, body);
      const server = createNuServer({ log: silent, java, jar: "/none.jar", startRetryLimitMs: 500, ...options });
      const document = { source: "", url: "about:blank", contentType: "" };
      const failed = await server.check(document, new AbortController().signal).catch((error: Error) => error);
      expect(failed).to.be.instanceOf(BrokenEnvironmentError);
      expect((failed as Error).message).to.contain(said);
      await server.close();
      expect(await childrenOf(process.pid, "sv-nu-")).to.deep.equal([]);
      expect((await readdir(folder)).filter((left) => left.startsWith("sv-nu-"))).to.deep.equal([]);
    });

  it("that has ended is sent no document, when another process has its port by then", async () => {
    const requested: string[] = [];
    const other = createServer((request, response) => {
      requested.push(request.url ?? "");
      response.end('{"messages":[]}');
    });
    other.listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const post = (isAlive: boolean) =>
      postDocument({ port, path: "/x/" }, () => isAlive, { body: Buffer.from("a"), mediaType: "text/html" }, 1_000);
    expect(await post(false).catch((error: Error) => error)).to.be.instanceOf(NotConnectedError);
    expect(requested).to.deep.equal([]);
    expect(await post(true)).to.include({ status: 200, isCut: false });
    expect(requested).to.deep.equal(["/x/?out=json"]);
    other.close();
  });
});
