import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { forms, pages } from "../../../src/web/routes.ts";

describe("The chart's Ingress", () => {
  let paths: string[];

  before(async () => {
    const file = new URL("../../../charts/site-validator/templates/_helpers.tpl", import.meta.url);
    const [, list = ""] = /\$pages := list ([^-]+(?:-[^-]+)*?) -\}\}/.exec(await readFile(file, "utf8")) ?? [];
    paths = [...list.matchAll(/"([^"]+)"/g)].map(([, path = ""]) => path);
  });

  it("forwards every page and form, and what they load", () => {
    const needed = [...pages, ...forms]
      .map(({ path }) => path)
      .concat("/sign-in", "/sign-out", "/setup", "/join/x", "/assets/x");
    const isForwarded = (path: string) =>
      paths.some((prefix) => path === prefix || (prefix !== "/" && path.startsWith(prefix.replace(/\/?$/, "/"))));
    expect(paths).to.include("/");
    expect(needed.filter((path) => !isForwarded(path))).to.deep.equal([]);
  });

  it("forwards nothing of the operator, also where a controller compares the beginning of the text", () => {
    for (const inside of ["/metrics", "/healthz", "/readyz"])
      expect(paths.filter((prefix) => prefix !== "/" && inside.startsWith(prefix))).to.deep.equal([]);
  });
});
