import { expect } from "chai";
import { listDevices } from "../../../src/browser/devices.ts";
import {
  deviceKey,
  forPage,
  isVariant,
  urlOfVariant,
  variantOf,
  variantsOfPages,
  withoutVariant,
} from "../../../src/domain/addresses/page-variant.ts";
import { pageKey } from "../../../src/domain/identity/page-key.ts";
import { readPageSteps, stepFaults } from "../../../src/schema/steps.ts";

describe("A page in a state, or on a further device", () => {
  const url = "https://example.com/shop?page=2";
  const open = urlOfVariant(url, { state: "menu-open" });
  const onPhone = urlOfVariant(url, { device: "iphone-15", state: "menu-open" });

  it("has both in its URL, in a part that browsers take off", () => {
    expect(open).to.equal("https://example.com/shop?page=2#:~:state=menu-open");
    expect(onPhone).to.equal("https://example.com/shop?page=2#:~:device=iphone-15&state=menu-open");
    expect(variantOf(open)).to.deep.equal({ state: "menu-open" });
    expect(variantOf(onPhone)).to.deep.equal({ device: "iphone-15", state: "menu-open" });
    expect([url, `${url}#menu-open`, "https://example.com/a:~:state=b"].map(variantOf)).to.deep.equal([{}, {}, {}]);
    expect([open, onPhone, url].map(withoutVariant)).to.deep.equal([url, url, url]);
    expect([open, onPhone, url, `${url}#:~:text=sale`].map(isVariant)).to.deep.equal([true, true, false, false]);
  });

  it("is another page than the same without, on every host and for every visitor", () => {
    expect(pageKey(open)).to.equal("/shop?page=2#:~:state=menu-open");
    expect(pageKey(urlOfVariant("http://localhost:8080/shop?page=2&utm_source=x", { state: "menu-open" }))).to.equal(
      pageKey(open),
    );
    expect(pageKey(onPhone)).to.equal("/shop?page=2#:~:device=iphone-15&state=menu-open");
    expect(pageKey(`${url}#top`)).to.equal("/shop?page=2");
  });

  it("is found by the globs of its page", () => {
    const list = [{ url: "/shop" }, { url: "/about" }, {}, { url: "https://example.com/**" }];
    expect(forPage(list)(open)).to.deep.equal([list[0], list[2], list[3]]);
    const views = [{ url: "/" }, { url: "/#/cart" }, { url: "**/#/cart" }];
    expect(forPage(views)("https://example.com/#/cart:~:state=open")).to.deep.equal(views.slice(1));
    expect(forPage(views)("https://example.com/?page=2#/cart")).to.deep.equal(views.slice(1));
  });

  it("is each of its states, here and on every device", () => {
    const variantsOf = variantsOfPages([{ name: "open" }, { name: "sent", url: "/order" }], ["iphone-15", "pixel-5"]);
    expect(variantsOf("https://example.com/").map(variantOf)).to.deep.equal([
      { state: "open" },
      { device: "iphone-15" },
      { device: "iphone-15", state: "open" },
      { device: "pixel-5" },
      { device: "pixel-5", state: "open" },
    ]);
    expect(variantsOf("https://example.com/order")).to.have.length(8);
    expect(variantsOfPages([], [])(url)).to.deep.equal([]);
    expect(variantsOfPages([{ name: "open" }, { name: "open" }], ["x", "x"])(url)).to.have.length(3);
  });

  it("on a device is called by the device's name", async () => {
    const keys = (await listDevices()).map(({ name }) => deviceKey(name));
    expect(new Set(keys).size).to.equal(keys.length);
    expect(keys).to.include("iphone-15-landscape");
    for (const key of keys) expect(key).to.match(/^[a-z0-9]+(-[a-z0-9]+)*$/);
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
