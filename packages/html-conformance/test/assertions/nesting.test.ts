import { type AssertionRow, tryRows } from "../support/assertion-rows.ts";

const rows: readonly AssertionRow[] = [
  ["a link in a paragraph", "<p><a href=x>x</a></p>"],
  ["a button in a link", "<a href=x><button>x</button></a>", "nesting/interactive"],
  ["a hidden input in a link", "<a href=x><input type=hidden></a>"],
  ["something focusable in a button", "<button><i tabindex=0>x</i></button>", "nesting/interactive"],
  ["a video with controls in a link", "<a href=x><video src=x controls></video></a>", "nesting/interactive"],
  ["a video without controls in a link", "<a href=x><video src=x></video></a>"],
  [
    "a role that is interactive in a button",
    "<button><i role=link>x</i><i role=switch>x</i></button>",
    "nesting/interactive",
  ],
  ["a label in a label, in a template", "<template><label><label>x</label></label></template>"],
  ["a header in a footer", "<footer><header>x</header></footer>", "nesting/header"],
  ["a heading in an address", "<address><h1>x</h1></address>", "nesting/h1"],
  ["a section in a dt", "<dl><dt><section aria-label=x></section></dt><dd>x</dd></dl>", "nesting/section"],
  ["an aside in a th", "<table><tr><th><aside>x</aside></th></tr></table>", "nesting/aside"],
  ["a progress in a progress", "<progress><progress></progress></progress>", "nesting/progress"],
  ["a dfn in a dfn", "<dfn><b><dfn>x</dfn></b></dfn>", "nesting/dfn"],
  [
    "a table in a caption",
    "<table><caption><div><table><tr><td>x</table></div></caption><tr><td>x</table>",
    "nesting/table",
  ],
  ["an area without a map", "<area>", "nesting/area"],
  ["an area in a map", "<map name=a><area></map>"],
  ["main in a section", "<section aria-label=x><main>x</main></section>", "nesting/main"],
  ["main in a div", "<div><main>x</main></div>"],
  ["two mains", "<main>x</main><main>y</main>", "main-not-unique"],
  ["a hidden second main", "<main>x</main><main hidden>y</main>"],
  ["one main by role", "<div role=main>y</div>"],
  ["a second main by role", "<main>x</main><div role=main>y</div>", "main-not-unique/role?"],
  ["a link of SVG in another", "<svg><a><g><a></a></g></a></svg>", "nesting/svg-a"],
  ["interactive content in a role that has none", "<div role=button><a href=x>x</a></div>", "interactive-in-role?"],
  ["a heading in a button by role", "<div role=button><h1>x</h1></div>", "heading-in-role"],
  ["a dialog by role in a heading", "<h1>x<i role=dialog>x</i></h1>", "role-in-heading"],
];

describe("elements that must not be inside of others", () => tryRows(rows));
