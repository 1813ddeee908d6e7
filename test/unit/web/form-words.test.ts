import { expect } from "chai";
import { html } from "../../../src/web/html.ts";
import { input, radios } from "../../../src/web/parts/form.ts";
import { inWordsOfPage, labelsIn } from "../../../src/web/parts/form-words.ts";

const labels = labelsIn(
  html`<form>
    <h2>Check a site</h2>
    ${input({ name: "max_pages", label: "Maximum pages", value: "" })}
    <details>${[input({ name: "gate.max_errors", label: "Errors" }), input({ name: "name", label: "Name", required: true })]}</details>
    ${radios({ name: "category", label: "Why", options: [{ value: "", label: "None", what: "no reason" }] })}
  </form>`,
);
const said = (detail: string) =>
  inWordsOfPage({ status: 422, code: "invalid", title: "Invalid attribute", detail }, labels);

describe("The words of a refused form", () => {
  it("are the labels that its page shows, also those of groups and of what is folded", () => {
    expect([...labels]).to.deep.equal([
      ["max_pages", "Maximum pages"],
      ["gate.max_errors", "Errors"],
      ["name", "Name"],
      ["category", "Why"],
    ]);
  });

  it("stand for the API's names, wherever these are", () => {
    expect(said("max_pages is -1; it must be at least 0.")).to.equal("“Maximum pages” is -1; it must be at least 0.");
    expect(said("gate.max_errors needs max_pages.")).to.equal("“Errors” needs “Maximum pages”.");
    expect(said("The format is invalid: category is missing.")).to.equal("“Why” is missing.");
  });

  it("leave what was received as it is", () => {
    expect(said('max_pages must be an integer; received "max_pages".')).to.equal(
      '“Maximum pages” must be a whole number; received "max_pages".',
    );
  });

  it("take an English word for a name only where a message begins", () => {
    expect(said("name is required: a user name.")).to.equal("“Name” is required: a user name.");
  });

  it("say which field a message is about that names none", () => {
    const source = { pointer: "/data/attributes/max_pages" };
    const violation = { status: 422, code: "invalid_format", title: "Invalid attribute", source };
    const worded = inWordsOfPage({ ...violation, detail: 'The format is invalid: received "x".' }, labels);
    expect(worded).to.equal('“Maximum pages”: received "x".');
  });

  it("say what a schema's words mean", () => {
    expect(said('max_pages must be an integer; received "x".')).to.equal(
      '“Maximum pages” must be a whole number; received "x".',
    );
  });

  it("leave names that no field has", () => {
    expect(said("rate_limit is 0.")).to.equal("rate_limit is 0.");
  });
});
