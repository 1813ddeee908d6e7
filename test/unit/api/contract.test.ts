import { expect } from "chai";
import { routes } from "../../../src/api/routes.ts";
import type { Rule } from "../../contract/rule.ts";
import { contract } from "../../contract/rules/index.ts";

const rules = contract.flatMap((section) => section.rules);

/** Method, path and query of a rule, the query by its parameters' names. */
function asked({ request }: Rule): { method: string; segments: string[]; parameters: string[] } {
  const [method = "", address = ""] = request.split(" ");
  const [path = "", query = ""] = address.split("?");
  const parameters = query.split("&").map((parameter) => parameter.split("=")[0] ?? "");
  return { method, segments: path.split("/"), parameters };
}

/** A path's own words must be the same; `{name}` stands for no more than what a route leaves open. */
function leadsTo(segments: readonly string[], path: string): boolean {
  const wanted = path.split("/");
  return (
    wanted.length === segments.length &&
    wanted.every((segment, index) => segment.startsWith(":") || segment === segments[index])
  );
}

describe("the contract suite", () => {
  for (const { method, path, parameters = [] } of routes) {
    it(`has a rule for ${method} ${path} that succeeds, and for each of its parameters`, () => {
      const found = rules.filter((entry) => {
        const { method: ofRule, segments } = asked(entry);
        return ofRule === method && leadsTo(segments, path);
      });
      // The links that answers give stand for themselves, and who has a token is not signed in by a browser.
      const isLink =
        ["/deploy_hooks/:secret", "/badges/:badge", "/months/:month/file.pdf", "/sessions/:session_id"].includes(
          path,
        ) || path.endsWith("/pictures/:picture_id");
      expect(found.filter(({ status }) => isLink || status < 300)).not.to.deep.equal([]);
      const used = new Set(
        found.filter(({ status }) => status >= 200 && status < 300).flatMap((entry) => asked(entry).parameters),
      );
      const ofAllLists = ["page[number]"];
      expect(
        parameters.map(({ name }) => name).filter((name) => !used.has(name) && !ofAllLists.includes(name)),
      ).to.deep.equal([]);
    });
  }

  it("names its rules differently within each section", () => {
    for (const { title, rules: ofSection } of contract) {
      const names = ofSection.map(({ name }) => name);
      expect(
        names.filter((name, index) => names.indexOf(name) !== index),
        title,
      ).to.deep.equal([]);
    }
  });

  it("prepares everything that it names", () => {
    const prepared = new Set(
      "run site domain site_host base unknown_uuid strangers_report guest report two two_and_one three spare guest_report page about missing two_page spare_page spare_about html_issue a11y_issue common_html_issue common_a11y_issue linked linked_page link_issue common_link_issue center lang".split(
        " ",
      ),
    );
    for (const entry of rules) {
      const { request, headers = {}, attributes = {}, body = "" } = entry;
      const texts = [request, body, JSON.stringify(headers), JSON.stringify(attributes)];
      for (const [, name = ""] of texts.join(" ").matchAll(/\{([a-z][a-z0-9_]*)\}/g))
        expect(prepared.has(name), `${entry.name}: {${name}}`).to.equal(true);
      for (const name of Object.keys(entry.keep ?? {})) prepared.add(name);
    }
  });
});
