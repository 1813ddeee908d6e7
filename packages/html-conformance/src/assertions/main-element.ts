import { type DocumentRule, has } from "./open-element.ts";
import { ariaInHtml, elementSection } from "./sections.ts";

/** Elements in which `<main>` must not be: they would take it out of the document's hierarchy. */
const NOT_AROUND_MAIN: ReadonlySet<string> = new Set(
  (
    "a address article aside audio blockquote canvas caption dd del details dialog dt fieldset figure footer header ins " +
    "li main map nav noscript object section slot td th video"
  ).split(" "),
);

/** One visible `<main>` a document, and where it may be. */
export const watchMain: DocumentRule = (report) => {
  const around: string[] = [];
  let hasMain = false;
  let hasRole = false;
  return {
    open(open) {
      const { name } = open;
      if (open.roles.includes("main") && !has(open, "hidden")) {
        if (hasRole)
          report(open, {
            severity: "warning",
            rule: "main-not-unique/role",
            message: `<${name}> has the role "main", which another visible element has already.`,
            section: ariaInHtml("el-main"),
            attribute: "role",
          });
        hasRole = true;
      }
      if (name === "main") {
        const nearest = around.at(-1);
        if (nearest)
          report(open, {
            rule: "nesting/main",
            message: `<main> is inside of <${nearest}>; only <html>, <body>, <div>, <form> and custom elements may be around it.`,
            section: elementSection("main"),
          });
        if (!has(open, "hidden")) {
          if (hasMain)
            report(open, {
              rule: "main-not-unique",
              message: 'This is a second <main> without the attribute "hidden"; a document may have one.',
              section: elementSection("main"),
            });
          hasMain = true;
          hasRole = true;
        }
      }
      if (NOT_AROUND_MAIN.has(name)) around.push(name);
    },
    close({ name }) {
      if (NOT_AROUND_MAIN.has(name)) around.pop();
    },
  };
};
