import { expect } from "chai";
import { pageKey } from "../../../src/domain/identity/page-key.ts";
import { forPage, stateOf, urlInState } from "../../../src/domain/site/page-state.ts";
import { readPageSteps, stepFaults } from "../../../src/schema/steps.ts";

describe("A page in a state", () => {
  const url = "https://example.com/shop?page=2";
  const open = urlInState(url, "menu-open");

  it("has the state in its URL, in a part that browsers take off", () => {
    expect(open).to.equal("https://example.com/shop?page=2#:~:state=menu-open");
    expect([open, url, `${url}#menu-open`].map(stateOf)).to.deep.equal(["menu-open", null, null]);
    expect(urlInState(open, "sent")).to.equal("https://example.com/shop?page=2#:~:state=sent");
  });

  it("is another page than the same without, on every host and for every visitor", () => {
    expect(pageKey(open)).to.equal("/shop?page=2#:~:state=menu-open");
    expect(pageKey(urlInState("http://localhost:8080/shop?page=2&utm_source=x", "menu-open"))).to.equal(pageKey(open));
    expect(pageKey(`${url}#top`)).to.equal("/shop?page=2");
  });

  it("is found by the globs of its page", () => {
    const list = [{ url: "/shop" }, { url: "/about" }, {}, { url: "https://example.com/**" }];
    expect(forPage(list)(open)).to.deep.equal([list[0], list[2], list[3]]);
  });
});

describe("The steps on a page", () => {
  const click = { type: "click", selectors: [["#menu"]] };

  it("begin with the page that is there, in the window of the report's device", () => {
    const recorded = [
      { type: "setViewport", width: 800, height: 600 },
      { type: "navigate", url: "https://example.com/" },
      click,
    ];
    expect(readPageSteps({ title: "Menu", steps: recorded })).to.deep.equal({ steps: [click] });
    expect(readPageSteps(recorded.slice(0, 2))).to.deep.equal({ faults: ["the steps only open a page"] });
  });

  it("neither leave the page by themselves nor have secrets", () => {
    expect(
      readPageSteps([
        click,
        { type: "navigate", url: "https://example.com/" },
        { type: "change", selectors: ["#p"], value: "$PASSWORD" },
      ]),
    ).to.deep.equal({
      faults: [
        "step 2: navigate leaves the page that is to be checked; click what leads there instead",
        "step 3: everybody who reads the report can see its value; only a sign-in may use secrets",
      ],
    });
  });

  it("are wrong at a place in the definition, and so are two states of one name", () => {
    const state = { name: "open", steps: [click] };
    expect(stepFaults({ prepare: [{ steps: [{ type: "customStep" }] }], states: [state, state] })).to.deep.equal([
      {
        path: ["prepare", 0, "steps"],
        message: "step 1: customStep runs code, which is not allowed; use waitForElement to wait for something",
      },
      { path: ["states", 1, "name"], message: "open is the name of another state, too" },
    ]);
  });
});
