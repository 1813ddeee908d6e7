import { expect } from "chai";
import { readFolder, sectionOf } from "../../../src/domain/addresses/section.ts";

describe("the section of a page", () => {
  const table: [url: string, section: string][] = [
    ["https://shop.example/", "/"],
    ["https://shop.example", "/"],
    ["https://shop.example/about", "/"],
    ["https://shop.example/about?from=/news/", "/"],
    ["https://shop.example/about#/news/", "/"],
    ["https://shop.example/news/", "/news/"],
    ["https://shop.example/news/market", "/news/"],
    ["https://shop.example/products/bread/rye", "/products/"],
    ["https://shop.example/caf%C3%A9/menu", "/caf%C3%A9/"],
    ["https://shop.example//news/market", "/"],
    ["https://shop.example:8443/a/b", "/a/"],
  ];
  for (const [url, section] of table)
    it(`of ${url} is ${section}`, () => {
      expect(sectionOf(url)).to.equal(section);
    });
});

describe("the path of a folder", () => {
  const table: [text: string, folder: object | undefined][] = [
    ["/", { path: "/", section: "/" }],
    ["/news/", { path: "/news/", section: "/news/" }],
    ["/products/bread/", { path: "/products/bread/", section: "/products/" }],
    ["/café/", { path: "/caf%C3%A9/", section: "/caf%C3%A9/" }],
    ["", undefined],
    ["news/", undefined],
    ["/news", undefined],
    ["//other.example/", undefined],
    ["/\\other.example/", undefined],
    ["/news/?a=/", undefined],
    ["/news/#/", undefined],
    ["https://shop.example/news/", undefined],
  ];
  for (const [text, folder] of table)
    it(`${JSON.stringify(text)} is read as ${JSON.stringify(folder)}`, () => {
      expect(readFolder(text)).to.deep.equal(folder);
    });
});
