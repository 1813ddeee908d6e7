import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { ownStore } from "../../scripts/own-grammars.ts";

describe("the compiled grammars", () => {
  let folderOfAll: string;

  beforeEach(async () => {
    folderOfAll = await mkdtemp(path.join(tmpdir(), "sv-grammar-"));
  });
  afterEach(() => rm(folderOfAll, { recursive: true }));

  it("are compiled again where a file is missing, empty or cut off, and left alone where they are whole", async () => {
    const store = await ownStore(folderOfAll);
    const folder = await store.prepare();
    const file = path.join(folder, "xhtml.json");
    const whole = await readFile(file, "utf8");
    const breaks: Record<string, () => Promise<void>> = {
      missing: () => rm(file),
      empty: () => truncate(file, 0),
      "cut off": () => truncate(file, whole.length - 1),
    };
    for (const [broken, breakIt] of Object.entries(breaks)) {
      await breakIt();
      await store.prepare();
      expect(await readFile(file, "utf8"), broken).to.equal(whole);
    }
    await writeFile(file, "{}");
    await store.prepare();
    expect(await readFile(file, "utf8")).to.equal("{}");
  });
});
