import { expect } from "chai";
import { datatypeProblem, datatypeWarning, HTML_DATATYPES } from "../../src/datatypes/index.ts";

const table: Record<string, readonly (readonly [string, string | undefined])[]> = {
  language: [
    ["en", undefined],
    ["sr-Latn", undefined],
    ["sl-rozaj-biske-1994", undefined],
    ["iw", 'the language subtag "iw" is deprecated; use "he"'],
    ["de-DD", 'the region subtag "DD" is deprecated; use "DE"'],
    ["i-klingon", 'the tag "i-klingon" is deprecated; use "tlh"'],
    ["zh-min", 'the tag "zh-min" is deprecated'],
    ["en-Latn", 'the script "Latn" goes without saying for "en"'],
    ["fr-scouse", 'the variant "scouse" should follow "en"'],
  ],
  date: [
    ["2020-01-01", undefined],
    ["0999-01-01", 'the year "0999" may be mistyped'],
    ["12020-01-01", 'the year "12020" may be mistyped'],
  ],
  "datetime-tz": [
    ["2020-01-01T00:00+05:45", undefined],
    ["2020-01-01T00:00Z", undefined],
    ["2020-01-01T00:00+15:00", "time zones are between -12:00 and +14:00"],
    ["2020-01-01T00:00-13:00", "time zones are between -12:00 and +14:00"],
    ["2020-01-01T00:00+01:20", "the minutes of time zones are 00, 30 or 45"],
  ],
  "time-datetime": [
    ["02-29", undefined],
    ["2020-12", undefined],
    ["+01:20", "the minutes of time zones are 00, 30 or 45"],
    ["12345", 'the year "12345" may be mistyped'],
  ],
  "iri-ref": [
    ["data:,a", undefined],
    ["a#b", undefined],
    ["data:,a#b", 'its data ends at "#", since a fragment begins there; write it as "%23"'],
  ],
  "mime-type": [
    ["text/html;a=b", undefined],
    ["text/html;", "it has a semicolon without a parameter"],
  ],
  "mime-type-list": [
    [".jpg, .png", undefined],
    [".jpg .png", '".jpg .png" is one file name extension with whitespace in it; a comma may be missing'],
  ],
  "meta-charset": [
    ["text/html; charset=utf-8", undefined],
    ['text/html; charset="utf-8"', 'the Standard wants it to be "text/html; charset=utf-8", with nothing else'],
  ],
  "sandbox-allow-list": [
    ["allow-scripts", undefined],
    [
      "allow-scripts ALLOW-same-origin",
      "allow-scripts and allow-same-origin together let a page of the same origin remove its sandbox",
    ],
  ],
  "source-size-list": [
    ["(color) 1px, 2px", undefined],
    ["1px", undefined],
    ["(color) 1px", "the last size has a media condition; a size without one should follow for all other cases"],
  ],
  "integrity-metadata": [
    ["sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", undefined],
    ["sha256-YQ==", 'the digest in "sha256-YQ==" does not have 32 bytes'],
  ],
  "content-security-policy": [
    ["default-src 'self'", undefined],
    ["foo bar", 'the directive "foo" is not known'],
    ["img-src a; img-src b", 'the directive "img-src" occurs twice; only the first has an effect'],
    ["report-uri /a", 'the directive "report-uri" is deprecated; use report-to'],
    ["script-src self", '"self" is read as a host; as a keyword it needs single quotes'],
    ["script-src 'sha256-YQ=='", "the digest in \"'sha256-YQ=='\" does not have 256 bits"],
    ["script-src 'self' 'self'", "the source \"'self'\" occurs twice"],
  ],
};

describe("datatypes: warnings", () => {
  for (const [name, rows] of Object.entries(table)) {
    for (const [value, warning] of rows) {
      it(`${warning === undefined ? "has nothing to say of" : "warns of"} ${JSON.stringify(value)} as ${name}`, () => {
        expect(datatypeProblem(HTML_DATATYPES, name, [], value)).to.equal(undefined);
        expect(datatypeWarning(HTML_DATATYPES, name, value)).to.equal(warning);
      });
    }
  }
});
