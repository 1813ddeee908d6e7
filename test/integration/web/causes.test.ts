import { expect } from "chai";
import { runReport } from "../../support/compared-sites.ts";
import { open, type PagesScene, signedInToPages, textOf } from "../../support/web-pages.ts";

const site = {
  "/": ["alt img main", "alt img main", "lang *"],
  "/news/a": ["alt img main"],
  "/news/b": ["label input main"],
};

describe("The list of causes", () => {
  let scene: PagesScene;
  let list: string;
  signedInToPages((made) => {
    scene = made;
  });

  beforeEach(async () => {
    const report = await runReport(scene.database.db, scene.accountId, site);
    list = `/reports/${report}/causes`;
  });

  const shown = async (query: string) => open(scene.client, `${list}?${query}`);

  it("has chips that say how many causes their lists show, also beside other filters", async () => {
    for (const query of ["", "path=/news/", "role=content", "text=alt"]) {
      const page = await shown(query);
      const links = page(".chips a").toArray();
      expect(links.length, query).to.be.above(2);
      for (const link of links.filter((one) => page(one).attr("aria-current") === undefined)) {
        const there = await open(scene.client, page(link).attr("href") ?? "");
        const count = Number(page(link).find(".quiet").text());
        expect(there("tbody tr").length, `${page(link).text()} beside ${query}`).to.equal(count);
      }
    }
  });

  it("is chosen by a part of the site, beside what else is chosen", async () => {
    const page = await shown("role=content");
    const parts = page("select[name=path] option").toArray();
    expect(parts.map((option) => page(option).attr("value"))).to.deep.equal(["", "/", "/news/"]);
    expect(page('form input[type=hidden][name="role"]').attr("value")).to.equal("content");
    expect(textOf(await shown("path=/news/"), "#list")).to.equal("2 causes, 2 errors");
  });

  it("says where the nearest causes are when none is like what is asked for", async () => {
    const page = await shown("impact=none&role=design");
    const all = textOf(await shown(""), "#list").split(" ")[0];
    expect(textOf(page, "section.card")).to.include("No cause is HTML only and of role design.");
    expect(textOf(page, "section.card")).to.include(`${all} are HTML only and none are of role design.`);
    const links = page("section.card p.quiet a").toArray();
    expect(links.map((link) => page(link).text())).to.deep.equal(["Only HTML only", `All ${all}`]);
    const nearest = await open(scene.client, page(links[0]).attr("href") ?? "");
    expect(nearest("tbody tr").length).to.equal(Number(all));
  });
});
