import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { createNuServer, type NuOptions, type NuResult, type NuServer } from "../../src/checker/engines/nu/server.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { type ChildInfo, childrenOf } from "../support/child-processes.ts";
import { deadlineOf } from "../support/deadline.ts";
import { requireNu } from "../support/nu.ts";
import { eventually, limitOf } from "../support/wait.ts";

const silent = createLogger("error", {});
silent.silent = true;
const page = (body: string): string => `<!DOCTYPE html><html lang="en"><title>t</title><body>${body}</body></html>`;
const xhtml = (body: string, doctype = ""): string =>
  `${doctype}<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>t</title></head><body>${body}</body></html>`;
const XHTML = "application/xhtml+xml";
/** A billion letters, by nine entities that each repeat another ten times. */
const entities = [..."bcdefghi"].map((name, i) => `<!ENTITY ${name} "${`&${"abcdefgh"[i]};`.repeat(10)}">`).join("");
const bomb = xhtml("<p>&i;</p>", `<!DOCTYPE html [<!ENTITY a "aaaaaaaaaa">${entities}]>`);
/** Quadratic in Nu: a minute. */
const slow = page(`<p ${Array.from({ length: 200_000 }, (_, i) => `a${i}`).join(" ")}>`);

/** The Java of a process. */
const javaOf = async (parent: number): Promise<ChildInfo | undefined> => (await childrenOf(parent, "sv-nu-"))[0];
const isGone = async (pid: number): Promise<boolean> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return text === undefined || /\) [ZX]/.test(text);
};
const folderOf = ({ command }: ChildInfo): string => /@(\S+)\/arguments/.exec(command)?.[1] ?? "";
const rulesOf = (result: NuResult) =>
  "messages" in result ? result.messages.map(({ type, rule }) => `${type} ${rule}`) : result.engineError;

describe("the Nu Html Checker", function () {
  this.timeout(limitOf(120));

  let nu: Pick<NuOptions, "java" | "jar">;
  let server: NuServer;
  const start = (options: Partial<NuOptions> = {}): void => {
    server = createNuServer({ log: silent, ...nu, ...options });
  };
  const check = (source: string, contentType = "text/html"): Promise<NuResult> =>
    server.check({ source, url: "https://example.com/", contentType }, new AbortController().signal);

  before(async function () {
    const { java, jar } = await requireNu(this);
    nu = { java, jar };
  });

  describe("on one server", () => {
    let java: ChildInfo;
    before(async function () {
      await requireNu(this);
      start({ parallel: 2 });
      await check(page(""));
      java = (await javaOf(process.pid)) as ChildInfo;
    });
    after(async () => {
      await server?.close();
      if (java) expect(await isGone(java.pid)).to.equal(true);
      expect(await javaOf(process.pid)).to.equal(undefined);
    });

    it("checks several documents at once, each with its own messages", async () => {
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, i) => check(page(`<p id=a></p>${"<p foo=1></p>".repeat(i)}`))),
      );
      expect(results.map(rulesOf)).to.deep.equal(
        Array.from({ length: 20 }, (_, i) => Array(i).fill("error attribute-not-allowed-on-element-at-this-point")),
      );
    });

    it("checks XHTML and SVG by the Content-Type", async () => {
      expect(rulesOf(await check(xhtml("<p>a<br/></p>"), XHTML))).to.deep.equal([]);
      expect(rulesOf(await check(xhtml("<p>"), XHTML))).to.deep.equal(["error required-character"]);
      expect(rulesOf(await check('<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"))).to.deep.equal([]);
    });

    it("places its messages as Nu does", async () => {
      const result = await check('<!DOCTYPE html>\n<html lang="en"><title>t</title>\n<p\nfoo=1>é𝒜');
      expect("messages" in result && result.messages).to.deep.equal([
        {
          type: "error",
          firstLine: 3,
          lastLine: 4,
          firstColumn: 1,
          lastColumn: 6,
          message: "Attribute “foo” not allowed on element “p” at this point.",
          extract: "t</title>\n<p\nfoo=1>é𝒜",
          hiliteStart: 10,
          hiliteLength: 9,
          rule: "attribute-not-allowed-on-element-at-this-point",
          section: "",
        },
      ]);
    });

    it("reports a document that Nu has no schema for", async () => {
      expect(await check("<rss/>", "application/rss+xml"))
        .to.have.property("engineError")
        .that.contains("cannot determine any schema");
    });

    it("stops where Nu does, and says so", async () => {
      expect(rulesOf(await check(page("<p foo=1></p>".repeat(3_000)))).at(-1)).to.equal("info too-many-findings");
    });

    it("says nothing against the encoding that a page was decoded from", async () => {
      const source = '<!DOCTYPE html><html lang="en"><meta charset="windows-1251"><title>t</title>';
      expect(rulesOf(await check(source))).to.deep.equal([
        "error the-only-allowed-value-for-the-attribute-for-the-element-is",
      ]);
    });

    it("passes none of the environment on, and shows others nothing that they could use", async () => {
      expect(java.environment.filter((name) => !["LC_ALL", "PWD"].includes(name))).to.deep.equal([]);
      expect(java.command).to.match(/^\S+java @\S+\/arguments $/);
      const { mode } = await stat(`${folderOf(java)}/arguments`);
      expect(mode & 0o077).to.equal(0);
    });

    it("checks documents for nobody who does not know its path", async () => {
      const text = await readFile(`/proc/${java.pid}/net/tcp6`, "utf8");
      const own = await ownPorts(java.pid, text);
      expect(own).to.have.length(1);
      for (const path of ["/", "/?out=json&doc=http://example.com/", "/html5/", "/parsetree/"]) {
        const response = await fetch(`http://127.0.0.1:${own[0]}${path}`, { method: "POST", body: page("") });
        expect(response.status, path).to.equal(404);
      }
    });

    it("requests nothing and reads no file for what a document refers to", async () => {
      const requested: string[] = [];
      const trap = createServer((socket) => {
        requested.push("a connection");
        socket.destroy();
      });
      // Nu itself refuses loopback addresses: one that it does not know shows more.
      const address = Object.values(networkInterfaces())
        .flatMap((found) => found ?? [])
        .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
      trap.listen(0, address ?? "127.0.0.1");
      await once(trap, "listening");
      const { port } = trap.address() as { port: number };
      const url = `http://${address ?? "127.0.0.1"}:${port}`;
      const secret = fileURLToPath(new URL("../../package.json", import.meta.url));
      const entity = (value: string) => `<!DOCTYPE html [<!ENTITY x SYSTEM "${value}">]>`;
      const results = await Promise.all([
        check(xhtml("<p/>", `<!DOCTYPE html SYSTEM "${url}/a.dtd">`), XHTML),
        check(xhtml("<p>&x;</p>", entity(`${url}/b`)), XHTML),
        check(xhtml("<foo>&x;</foo>", entity(`file://${secret}`)), XHTML),
        check(xhtml("<p/>", `<!DOCTYPE html [<!ENTITY % x SYSTEM "${url}/c.dtd"> %x;]>`), XHTML),
        check(xhtml("&x;", `<!DOCTYPE html [<!ENTITY % y SYSTEM "file://${secret}"> %y;]>`), XHTML),
        check(xhtml(`<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${url}/d"/>`), XHTML),
        check(`<?xml-stylesheet href="${url}/e"?><?xml-model href="${url}/f"?>${xhtml("<p/>")}`, XHTML),
        check(
          `<!DOCTYPE html SYSTEM "${url}/g"><base href="${url}/"><link rel=stylesheet href="/h"><style>@import "/i";</style>`,
        ),
        check(page(`<iframe src="${url}/j"></iframe><script src="${url}/k"></script><img src="${url}/l" alt="">`)),
      ]);
      expect(requested).to.deep.equal([]);
      expect(JSON.stringify(results)).not.to.contain("site-validator");
      trap.close();
    });
  });

  describe("that ends", () => {
    beforeEach(async function () {
      await requireNu(this);
    });
    afterEach(async () => {
      await server?.close();
      expect(await javaOf(process.pid)).to.equal(undefined);
    });

    it("ends a document that takes too long, and checks those beside it again", async () => {
      start({ parallel: 2, timeoutMs: 6_000 });
      const [stuck, ...others] = await Promise.all([check(bomb, XHTML), check(page("<p foo=1>")), check(page(""))]);
      const { engineError, ...rest } = stuck as { engineError: string };
      expect(engineError).to.match(deadlineOf("nu", 6));
      expect(rest).to.deep.equal({ deadlineExceeded: true });
      expect(others.map(rulesOf)).to.deep.equal([["error attribute-not-allowed-on-element-at-this-point"], []]);
    });

    it("gives a document up that ended Java three times alone; those behind it are checked", async () => {
      start({ parallel: 1 });
      await check(page(""));
      const victim = check(slow);
      const behind = check(page(""));
      // The first time it may be due to what was beside it.
      for (let i = 0; i < 4; i++) {
        const java = (await eventually(() => javaOf(process.pid))) as ChildInfo;
        // It is at work when it uses CPU time after it has started.
        await eventually(async () => isListening(java.pid));
        const before = await cpuOf(java.pid);
        await eventually(async () => (await cpuOf(java.pid)) > before + 0.5);
        process.kill(java.pid, "SIGKILL");
        await eventually(() => isGone(java.pid));
      }
      expect(await victim).to.include({ code: "checker_crashed" });
      expect(rulesOf(await behind)).to.deep.equal([]);
    });

    it("fails a document that needs more memory than the limit, and says so; the one beside it is checked", async () => {
      start({ parallel: 2, heapMb: 192 });
      const [big, small] = await Promise.all([check(page("<p>x</p>\n".repeat(1_000_000))), check(page("<p>"))]);
      expect(big).to.deep.equal({ engineError: "nu needed more than 192 MB of memory." });
      expect(rulesOf(small)).to.deep.equal([]);
    });

    it("ends with its parent, even when that is killed, and leaves no files", async () => {
      const program = fileURLToPath(new URL("../support/programs/nu-server.ts", import.meta.url));
      const parent = spawn(process.execPath, [program, nu.java, nu.jar], { stdio: ["ignore", "pipe", "inherit"] });
      await once(parent.stdout, "data");
      const java = (await javaOf(parent.pid ?? 0)) as ChildInfo;
      const [watching] = await childrenOf(java.pid, "");
      parent.kill("SIGKILL");
      await eventually(() => isGone(java.pid));
      await eventually(() => isGone(watching?.pid ?? 0));
      expect(await stat(folderOf(java)).catch(() => undefined)).to.equal(undefined);
    });
  });
});

async function cpuOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") 0 0 0 0 0 0 0 0 0 0 0 0 0");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function isListening(pid: number): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/net/tcp6`, "utf8").catch(() => "");
  return (await ownPorts(pid, text)).length > 0;
}

/** The ports that a process listens on, from a table of all sockets. */
async function ownPorts(pid: number, table: string): Promise<number[]> {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const links = await Promise.all(descriptors.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => "")));
  return table.split("\n").flatMap((line) => {
    const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
    if (state !== "0A" || !links.includes(`socket:[${inode}]`)) return [];
    return [Number.parseInt(local.slice(local.indexOf(":") + 1), 16)];
  });
}
