import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { readSignInFile } from "../../../../src/cli/check/options/sign-in-file.ts";

describe("The file of a sign-in", () => {
  const PLACEHOLDER = ["$", "{PASSWORD}"].join("");
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sign-in-"));
  });
  after(() => rm(folder, { recursive: true }));

  const read = async (content: object, environment: NodeJS.ProcessEnv) => {
    const file = path.join(folder, "sign-in.json");
    await writeFile(file, JSON.stringify(content), { mode: 0o600 });
    return readSignInFile(file, environment);
  };
  const steps = [
    { type: "navigate", url: "https://example.com/login" },
    { type: "change", selector: "#password", value: PLACEHOLDER },
    { type: "click", selector: "button" },
  ];

  it("gets its values from the environment, and says which variables those are", async () => {
    const { signIn, variables } = await read({ steps }, { PASSWORD: "secret" });
    expect(JSON.stringify(signIn)).to.include('"value":"secret"').and.not.include(PLACEHOLDER);
    expect(variables).to.deep.equal(["PASSWORD"]);
  });

  it("is refused when a variable is not there", async () => {
    const error = await read({ steps }, {}).catch((refused: unknown) => refused);
    expect(String(error)).to.include("PASSWORD");
  });
});
