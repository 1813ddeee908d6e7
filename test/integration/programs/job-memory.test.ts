import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";
import { jobCommand } from "../../../src/main/lifecycle/job-process.ts";

const run = promisify(execFile);

/** Makes objects that live for a while, as pages do on their way, and prints the most that V8 took for new ones, in MB. */
const script = `
  const { getHeapSpaceStatistics } = require("node:v8");
  const recent = [];
  let most = 0;
  for (let page = 0; page < 200; page++) {
    recent.push(Array.from({ length: 5000 }, (_, n) => ({ n, text: "text " + n })));
    if (recent.length > 30) recent.shift();
    for (const { space_name, space_size } of getHeapSpaceStatistics())
      if (space_name === "new_space") most = Math.max(most, space_size);
  }
  console.log(most / 1e6);
`;

describe("the process of a Job on this machine", () => {
  it("frees what it needs no more before that is a hundred megabytes", async () => {
    const { file, args } = jobCommand([]);
    const options = args.filter((argument) => argument.startsWith("--"));
    const { stdout } = await run(file, [...options, "--eval", script]);
    expect(Number(stdout)).to.be.within(1, 50);
  });
});
