import { expect } from "chai";
import { load } from "cheerio";
import { RequestError } from "../../../src/domain/errors.ts";
import { html, render } from "../../../src/web/html.ts";
import type { Attempt, PageContext } from "../../../src/web/page.ts";
import { input, problems, select } from "../../../src/web/parts/form.ts";
import { formRoute } from "../../../src/web/parts/form-route.ts";

const options = [
  { value: "", label: "None" },
  { value: "a", label: "A" },
];
const violation = {
  ...{ status: 422, code: "not_allowed", title: "Invalid attribute", detail: "choice must be a." },
  source: { pointer: "/data/attributes/choice" },
};
const attempt = { fields: new URLSearchParams({ choice: "b" }), violations: [violation] };
const part = (content: unknown) => load(render(html`<div>${content}</div>`));

describe("A form that is shown again", () => {
  it("has the focus on what is wrong with it, so that it is read out", () => {
    const box = part(problems(attempt, ["choice"]))(".problems");
    expect(box.attr("autofocus")).to.not.equal(undefined);
    expect(box.attr("tabindex")).to.equal("-1");
    expect(box.find("a").attr("href")).to.equal("#field-choice");
  });

  it("is made once, and says what is wrong by what it calls its fields", async () => {
    let made = 0;
    const view = (attempt?: Attempt) => {
      made += 1;
      const field = input({ name: "choice", label: "Favourite", attempt });
      return { title: "Form", content: html`<form>${problems(attempt, ["choice"])} ${field}</form>` };
    };
    const refuse = () => {
      throw new RequestError(violation);
    };
    const context = {} as PageContext;
    const again = await formRoute("/", (_, attempt) => view(attempt), refuse).submit(context, attempt.fields);
    expect(made).to.equal(1);
    const shown = part("content" in again && again.content);
    for (const place of [".problems a", "#error-choice"])
      expect(shown(place).text(), place).to.equal("“Favourite” must be a.");
  });

  it("says of a list of choices, too, that it is what is wrong", () => {
    const control = part(select({ name: "choice", label: "Choice", options, attempt }))("select");
    expect(control.attr("aria-invalid")).to.equal("true");
    expect(control.attr("aria-describedby")).to.equal("error-choice");
  });

  it("keeps a choice that is not in the list: a browser would send another one", () => {
    const chosen = (value: string) =>
      part(select({ name: "choice", label: "Choice", options, value }))("option[selected]").attr("value");
    expect(chosen("a")).to.equal("a");
    expect(chosen("left-out")).to.equal("left-out");
    expect(chosen("")).to.equal("");
  });
});
