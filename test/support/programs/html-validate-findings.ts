import { HtmlValidate, StaticConfigLoader } from "html-validate";
import { cachedConfigLoader, idIndex, patchHtmlValidate } from "../../../src/checker/engines/html-validate/patches.ts";
import { htmlValidateConfig } from "../../../src/checker/engines/html-validate/rules.ts";

/** Prints what html-validate finds in some pages, with or without our patches. */
const saving = process.argv[2] === "saving";
if (saving) patchHtmlValidate();
const loader = saving
  ? cachedConfigLoader({ ...htmlValidateConfig, plugins: [idIndex] })
  : new StaticConfigLoader(htmlValidateConfig);
const validator = new HtmlValidate(loader);

const page = (body: string): string =>
  `<!DOCTYPE html><html lang="en"><head><title>t</title></head><body>${body}</body></html>`;
const ids = [
  "a",
  "b1",
  "1c",
  "d:e",
  "f.g",
  "h i",
  "j\\k",
  "ü",
  "-l",
  "m_n",
  'o"p',
  "q\tr",
  "A",
  "s/t",
  "constructor",
  "",
];
const quoted = (id: string): string => `'${id}'`;
const pages = [
  // Ids of all kinds: with and without references, before and after them, repeated, in templates.
  ...ids.map((id) =>
    page(`<label for=${quoted(id)}>x</label><input id=${quoted(id)}><p aria-describedby=${quoted(id)}>x</p>`),
  ),
  ...ids.map((id) => page(`<label for=${quoted(id)}>x</label><p id=${quoted(id)}>x</p><b id=${quoted(id)}>y</b>`)),
  ...ids.map((id) => page(`<label for=${quoted(id)}>x</label><template><input id=${quoted(id)}></template>`)),
  page("<label for=a>x</label><input id=b><input id=a><select id=a></select>"),
  page("<map name=a id=b></map><map name=a></map><img usemap=#a alt=x src=y>"),
  page(
    "<form id=f></form><input form=f><input form=g><button form=f>x</button><output for='a b'>x</output><i id=b>x</i>",
  ),
  page("<table><tr><th id=h>x</th><td headers='h k'>y</td></tr></table><div aria-labelledby='h z' role=group></div>"),
  page("<main>a</main><main>b</main><p><div>x</div></p><foo></foo><img src=x>"),
  "<p id=a><label for=a>",
  "",
];
// Uses the same configuration for all pages: one page must not affect the next.
const messages = [...pages, ...pages].map((source) =>
  validator
    .validateStringSync(source, "page.html")
    .results.flatMap((result) =>
      result.messages.map(({ ruleId, message, offset, size }) => [ruleId, message, offset, size]),
    ),
);
console.log(JSON.stringify(messages));
