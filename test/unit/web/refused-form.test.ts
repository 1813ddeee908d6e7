import { expect } from "chai";
import { load } from "cheerio";
import { html, render } from "../../../src/web/html.ts";
import { problems, select } from "../../../src/web/parts/form.ts";

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
