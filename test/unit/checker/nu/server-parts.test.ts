import { expect } from "chai";
import { divideTime, overdue } from "../../../../src/checker/engines/nu/cpu-shares.ts";
import { heapFor, javaArguments } from "../../../../src/checker/engines/nu/java-arguments.ts";
import { mediaTypeForNu } from "../../../../src/checker/engines/nu/media-type.ts";
import { javaExecutables } from "../../../../src/config.ts";

describe("the time of documents that one process checks", () => {
  const limits = { limitMs: 100, maxClockMs: 1_000 };
  const share = (usedMs: number, startedAt = 0) => ({ usedMs, startedAt });

  it("is divided equally among them", () => {
    const running = [share(0), share(10)];
    divideTime(running, 40);
    expect(running.map(({ usedMs }) => usedMs)).to.deep.equal([20, 30]);
    expect(() => divideTime([], 40)).not.to.throw();
  });

  it("ends the one with the largest share, beyond the limit", () => {
    const [young, old] = [share(120), share(150)];
    expect(overdue([share(99)], 50, limits)).to.equal(undefined);
    expect(overdue([young, old, share(0)], 50, limits)).to.equal(old);
  });

  it("ends one that gets no CPU time at all", () => {
    const stuck = share(0, 0);
    expect(overdue([stuck, share(0, 500)], 1_000, limits)).to.equal(stuck);
  });
});

describe("the arguments of Java", () => {
  const settings = { heapMb: 64, folder: "/tmp/x", logFile: "/tmp/x/log", path: "/secret/" };

  it("are one a line, in quotes, whatever the jar's path has", () => {
    const lines = javaArguments('/a b/"c"\\d/ü.jar', settings).trimEnd().split("\n");
    expect(lines).to.include('"/a b/\\"c\\"\\\\d/ü.jar"');
    for (const line of lines) expect(line).to.match(/^".*"$/);
  });

  it("give the heap what the memory leaves, from 192 to 512 MB", () => {
    expect([256, 700, 1_024, 64_000].map(heapFor)).to.deep.equal([192, 300, 512, 512]);
  });

  it("bound the heap, and bind the loopback address and a port that the system chooses", () => {
    const lines = javaArguments("/vnu.jar", settings).trimEnd().split("\n");
    expect(lines).to.include.members(['"-Xmx64m"', '"-Dnu.validator.servlet.bind-address=127.0.0.1"']);
    expect(lines.slice(-2)).to.deep.equal(['"nu.validator.servlet.Main"', '"0"']);
  });
});

describe("the media type for Nu", () => {
  for (const [contentType, expected] of [
    ["text/html; charset=iso-8859-1", "text/html"],
    ["", "text/html"],
    ["text/plain", "text/html"],
    ["text/html\r\nX: y", "text/html"],
    ["Application/XHTML+XML;charset=x", "application/xhtml+xml"],
    ["image/svg+xml", "image/svg+xml"],
    ["text/xml", "application/xml"],
    ["application/atom+xml", "application/xml"],
  ])
    it(`of ${JSON.stringify(contentType)} is ${expected}`, () => {
      expect(mediaTypeForNu(contentType ?? "")).to.equal(expected);
    });
});

describe("where Java may be", () => {
  it("is JAVA_HOME, then the absolute folders of PATH", () => {
    expect(javaExecutables({ JAVA_HOME: "/jdk", PATH: "/bin:.:relative::/usr/bin:/bin" })).to.deep.equal([
      "/jdk/bin/java",
      "/bin/java",
      "/usr/bin/java",
    ]);
    expect(javaExecutables({})).to.deep.equal([]);
  });
});
