import { htmlSection } from "../../finding.ts";
import type { ElementRule } from "../open-element.ts";
import { within } from "../within.ts";

/** A `<style>` is metadata content: it stands in the head. The contents of a template may be a shadow tree. */
export const checkBodyStyle: ElementRule = (open, report) => {
  if (!(open.within & within("body"))) return;
  report(open, {
    rule: "body-style",
    message: "<style> is not allowed in <body>; it stands in <head>, or in a <template>.",
    section: htmlSection("semantics.html#the-style-element"),
  });
};
