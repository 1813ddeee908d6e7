import { expect } from "chai";
import { runReport } from "../../support/compared-sites.ts";
import { open, type PagesScene, signedInToPages, textOf } from "../../support/web-pages.ts";

describe("The page of a component", () => {
  let scene: PagesScene;
  signedInToPages((made) => {
    scene = made;
  });

  it("says what is wrong, how bad that is, how it is mended by the guide, and where it is", async () => {
    const pages = { "/": ["img/alt img p1"], "/two": ["img/alt img p1"] };
    const report = await runReport(scene.database.db, scene.accountId, pages);
    const { json } = await scene.service.as(scene.token)("GET", `/reports/${report}/components`);
    const page = await open(scene.client, `/reports/${report}/components/${json.data[0]?.id}`);
    expect(textOf(page, "h1")).to.equal("An image has no text alternative");
    expect(textOf(page, "ul.line:not(nav *)")).to.include("error").and.include("HTML only").and.include("img/alt");
    expect(textOf(page, '[aria-labelledby="fix"]')).to.include("Before").and.include("After");
    expect(page('[aria-labelledby="fix"] a[href="/guides/html/img/alt"]').length).to.equal(1);
    expect(textOf(page, ".rows")).to.include("https://example.com/two");
  });
});
