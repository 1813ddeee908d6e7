import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const [, command = "", result = ""] =
  /^`npm run (check -- [^`]+)`, on [^\n]+\n\n```\n([\s\S]*?)```/m.exec(
    readFileSync(path.join(root, "README.md"), "utf8"),
  ) ?? [];

describe("The result in the README", () => {
  let sandbox: Sandbox;
  before(async () => {
    sandbox = await openSandbox();
  });
  after(() => sandbox.close());

  it("is what the command next to it prints", async () => {
    const args = command.split(" ").filter((argument) => argument !== "--");
    const { code, stdout, stderr } = await sandbox.start(args, {}, { cwd: root }).ended;
    expect(code, stderr).to.equal(1);
    expect(stdout).to.equal(result);
  });
});
