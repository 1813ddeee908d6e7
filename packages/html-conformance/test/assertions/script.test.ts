import { type AssertionRow, tryRows } from "../support/assertion-rows.ts";

const rows: readonly AssertionRow[] = [
  ["a comment of HTML in a script", "<script><!--\nx()\n//--></script>"],
  ["a comment of HTML that a script does not close", "<script>x = '<!--'</script>", "script/comment"],
  ["a script in a comment in a script", "<script>x = '<!-- <SCRIPT>'</script>--></script>", "script/comment"],
  ["a script after a comment in a script", "<script>x = '<!-- --> <script>'</script>"],
  ["another word in a comment in a script", "<script>x = '<!-- <scripts> -->'</script>"],
  ["a classic script with src", "<script src=x async defer></script>"],
  ["defer without src", "<script defer></script>", "script/defer"],
  ["a module without src that is async", "<script type=module async></script>"],
  ["defer on a module", "<script type=module src=x defer></script>", "script/defer"],
  ["nomodule on a module", "<script type=module src=x nomodule></script>", "script/nomodule"],
  ["integrity on an inline module", "<script type=module integrity=sha256-AAAA></script>", "script/integrity"],
  ["an inline module that blocks rendering", "<script type=module blocking=render>import 'a'</script>"],
  ["blocking on a data block", "<script type=application/json blocking=render>{}</script>", "script/blocking"],
  ["src on a data block", "<script type=application/json src=x></script>", "script/src"],
  ["a data block", "<script type=application/json>{}</script>"],
  ["the type of JavaScript", "<script type=text/javascript></script>", "script/type-not-needed?"],
  ["another encoding", "<script src=x charset=latin1></script>", "obsolete-attribute/charset"],
  ["an import map", `<script type=importmap>{"imports":{"a":"./a.js","b/":"/b/"},"scopes":{"c/":{}}}</script>`],
  ["an import map that is no JSON", "<script type=importmap>x</script>", "script/importmap"],
  ["an import map that is an array", "<script type=importmap>[]</script>", "script/importmap"],
  ["an import map with src", "<script type=importmap src=x>{}</script>", "script/src", "script/documentation"],
  ["a bare address in an import map", `<script type=importmap>{"imports":{"a":"a.js"}}</script>`, "script/importmap"],
  [
    "an address that must end with a slash",
    `<script type=importmap>{"imports":{"a/":"/a"}}</script>`,
    "script/importmap",
  ],
  ["an unknown key of an import map", `<script type=importmap>{"import":{}}</script>`, "script/importmap"],
  [
    "rules with URLs",
    `<script type=speculationrules>{"tag":"a","prefetch":[{"urls":["/a"],"eagerness":"immediate"}]}</script>`,
  ],
  [
    "rules with conditions",
    `<script type=speculationrules>{"prerender":[{"where":{"and":[{"href_matches":"/a"},{"not":{"selector_matches":".b"}}]}}]}</script>`,
  ],
  [
    "rules without urls and where",
    `<script type=speculationrules>{"prefetch":[{}]}</script>`,
    "script/speculationrules",
  ],
  [
    "an unknown eagerness",
    `<script type=speculationrules>{"prefetch":[{"urls":["a"],"eagerness":"soon"}]}</script>`,
    "script/speculationrules",
  ],
  [
    "two conditions in one",
    `<script type=speculationrules>{"prefetch":[{"where":{"href_matches":"a","selector_matches":"b"}}]}</script>`,
    "script/speculationrules",
  ],
  [
    "conditions without end",
    `<script type=speculationrules>{"prefetch":[{"where":${'{"not":'.repeat(50_000)}1${"}".repeat(50_000)}}]}</script>`,
    "script/speculationrules",
  ],
  ["comments in a script with src", "<script src=x>/* a */ // b\n</script>"],
  ["code in a script with src", "<script src=x>a()</script>", "script/documentation"],
  ["a comment that does not end", "<script src=x>/* a</script>", "script/documentation"],
];

describe("attributes and contents of scripts", () => tryRows(rows));
