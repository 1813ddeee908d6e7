import { expect } from "chai";
import type { ToolDeps } from "../../../src/mcp/tool.ts";
import { checkFiles } from "../../../src/mcp/tools/check-files.ts";

/** Files of a folder, of which those that are named are never checked to the end. */
function run(endless: readonly string[], given: object = {}, signal = new AbortController().signal): Promise<string> {
  const names = ["a", "b", "c", "d", "e", "f"];
  const deps: Pick<ToolDeps, "checkHtml" | "folders" | "limitMs"> = {
    limitMs: 50,
    folders: {
      list: async () => names.map((name) => `/home/site/${name}`),
      nameOf: (file) => file.slice("/home/site/".length),
      read: async (file) => ({ source: file.slice(-1), contentType: "text/html" }),
    },
    checkHtml: ({ source }, until) =>
      new Promise((resolve, reject) => {
        if (!endless.includes(source)) return resolve([]);
        until.addEventListener("abort", () => reject(until.reason));
      }),
  };
  return checkFiles.run({ path: ".", skip: 0, from: 1, ...given } as never, deps as ToolDeps, signal);
}

describe("check_files when the time is over", () => {
  it("answers for the files before, and says how to go on", async () => {
    expect(await run(["c"])).to.match(
      /^2 files checked, 0 with errors.*\nThe time was over: of 6 files the first 2 are done\. For the others, call check_files with skip: 2\.$/,
    );
    expect(await run([], { skip: 2 })).to.match(/^4 files checked, 0 with errors\. No errors and no warnings\.$/);
  });

  it("gives up a file that takes all of it, so that the others are reached", async () => {
    const text = await run(["c"], { skip: 2 });
    expect(text).to.include('{"file":"c","fault":"It takes too long to check."}').and.include("skip: 3.");
  });

  it("ends when its client does not wait any more", async () => {
    const client = new AbortController();
    const running = run(["a"], {}, client.signal);
    client.abort(new Error("cancelled"));
    await running.then(
      () => expect.fail("it has answered"),
      (error: Error) => expect(error.message).to.equal("cancelled"),
    );
  });
});
