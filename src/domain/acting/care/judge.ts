import { judgeFields } from "./fields.ts";
import { judgeImages, judgeMedia } from "./images.ts";
import { judgeLinks } from "./links.ts";
import type { CareFault, Seen, SeenScripted } from "./seen.ts";
import { short } from "./seen.ts";
import { judgeTables } from "./tables.ts";
import { judgeBlocks } from "./texts.ts";

/** What an auditor would ask about a page that was read, or say of it. */
export function judgeSeen(seen: Seen): CareFault[] {
  return [
    ...judgeTables(seen),
    ...judgeFields(seen),
    ...judgeLinks(seen),
    ...judgeImages(seen),
    ...judgeMedia(seen),
    ...judgeBlocks(seen),
    ...seen.scripted.flatMap(judgeScripted),
    ...seen.pointed.map(({ id, text, numControls }): CareFault => {
      const what = numControls > 0 ? `${numControls} links or controls` : "a text";
      const summary = `A style shows ${what} here ("${short(text)}") while a mouse points at it, and none does so for the focus.`;
      return { rule: "sv-hover-only", id, review: true, summary };
    }),
  ];
}

function judgeScripted({ id, tag, role, name, click, onfocus, isFocusable, hasControl }: SeenScripted): CareFault[] {
  if (/\bblur\s*\(/.test(onfocus) && isFocusable)
    return [
      {
        rule: "sv-focus-removed",
        id,
        review: false,
        summary: `The focus is taken away from "${short(name)}" when it gets it (onfocus="${short(onfocus)}").`,
      },
    ];
  const isControl =
    /^(?:a|button|input|select|textarea|summary|label|option|area|body|form|video|audio|html|iframe)$/.test(tag);
  // What takes no focus is what acting does not reach by keyboard.
  if (!click || isControl || hasControl || name === "" || !isFocusable || role !== "") return [];
  const summary = `A click on "${short(name)}" does something, and this <${tag}> has no role that says so.`;
  return [{ rule: "sv-scripted-element", id, review: true, summary }];
}
