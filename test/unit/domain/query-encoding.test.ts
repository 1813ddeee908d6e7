import { expect } from "chai";
import { encodeQuery } from "../../../src/domain/addresses/query-encoding.ts";

describe("the query of a link", () => {
  const rows: [encoding: string, query: string, encoded: string][] = [
    ["windows-1251", "мир", "%EC%E8%F0"],
    ["windows-1252", "€é", "%80%E9"],
    ["iso-8859-8-i", "ש", "%F9"],
    ["shift_jis", "表ｱ¥", "%95\\%B1\\"],
    ["euc-jp", "日ｱ", "%C6%FC%8E%B1"],
    ["iso-2022-jp", "日é本x日", "%1B$BF|%1B(B%26%23233%3B%1B$BK\\%1B(Bx%1B$BF|%1B(B"],
    ["gbk", "中€", "%D6%D0%80"],
    ["gb18030", "ÿ😀", "%810%8B7%949%FC6"],
    ["big5", "中", "%A4%A4"],
    ["big5", "十卅═╞╡╪", "%A4Q%A4%CA%F9%F9%F9%E9%F9%EB%F9%EA"],
    ["euc-kr", "한", "%C7%D1"],
    ["x-user-defined", "é", "%26%23233%3B"],
    ["utf-8", "é", "é"],
    ["utf-16le", "é", "é"],
    ["replacement", "é", "é"],
  ];
  for (const [encoding, query, encoded] of rows)
    it(`is encoded in ${encoding}: ${query}`, () => {
      expect(encodeQuery(`/p?q=${query}`, encoding)).to.equal(`/p?q=${encoded}`);
    });

  it("has characters that its encoding lacks as their numbers; a path has all as they are", () => {
    expect(encodeQuery("/мир?a=1&x=中мир", "windows-1251")).to.equal("/мир?a=1&x=%26%2320013%3B%EC%E8%F0");
  });
});
