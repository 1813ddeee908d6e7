import { blend, type Colour, contrastRatio, ratioText } from "../../findings/luminance.ts";
import { judgeFields } from "./fields.ts";
import { judgeImages, judgeMedia } from "./images.ts";
import { judgeLinks } from "./links.ts";
import type { CareFault, Seen, SeenPaint, SeenPointed, SeenScripted } from "./seen.ts";
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
    ...seen.dragged.map(({ id, text }): CareFault => {
      const summary = `"${short(text)}" can be dragged, and no control in it moves it otherwise.`;
      return { rule: "sv-drag-only", id, review: true, summary };
    }),
    ...seen.flashing.flatMap(judgeFlashing),
    ...judgePaint(seen.painted),
  ];
}

/** Parts that only a mouse shows, by a style. */
export function judgePointed(pointed: readonly SeenPointed[]): CareFault[] {
  return pointed.map(({ id, text, numControls }) => {
    const what = numControls > 0 ? `${numControls} links or controls` : "a text";
    const summary = `A style shows ${what} here ("${short(text)}") while a mouse points at it, and none does so for the focus.`;
    return { rule: "sv-hover-only", id, review: true, summary };
  });
}

/** A quarter of a tenth of a usual field of view, in CSS pixels (WCAG 2.2, "general flash and red flash thresholds"). */
export const FLASH_AREA = 21_824;
export const MAX_FLASHES = 3;

/** What flashes so often, and on so large a part, that it may cause a seizure. */
export function judgeFlashing({ id, perSecond, area }: Seen["flashing"][number]): CareFault[] {
  if (perSecond <= MAX_FLASHES || area < FLASH_AREA) return [];
  const summary = `This element changes ${Math.round(perSecond * 10) / 10} times a second, on ${Math.round(area)} square pixels.`;
  return [{ rule: "sv-flashing", id, review: true, summary }];
}

/** One finding for each pair of colours: it is a rule of a style sheet. */
export function judgePaint(painted: readonly SeenPaint[]): CareFault[] {
  const faults = painted.flatMap((one) => {
    const { kind, colour, behind } = one;
    const fault =
      colour && behind && (kind === "border" ? paleBorder(one, colour, behind) : paleText(one, colour, behind));
    return fault ? [{ ...fault, key: `${kind} ${colour} ${behind}` }] : [];
  });
  return [...Map.groupBy(faults, ({ key }) => key).values()].flatMap(([first, ...more]): CareFault[] => {
    if (!first) return [];
    const { key: _, ...fault } = first;
    return [
      { ...fault, summary: more.length > 0 ? `${fault.summary} So it is with ${more.length} more.` : fault.summary },
    ];
  });
}

function paleText(
  { id, kind, text, fontSize, isBold }: SeenPaint,
  colour: Colour,
  behind: Colour,
): CareFault | undefined {
  const ratio = contrastRatio(blend(colour, behind), behind);
  const required = fontSize >= 24 || (isBold && fontSize >= 18.66) ? 3 : 4.5;
  if (ratio >= required) return undefined;
  if (kind === "placeholder") {
    const summary = `The placeholder "${short(text)}" has a contrast of ${ratioText(ratio)} to its field, and needs ${required}.`;
    return { rule: "sv-placeholder-contrast", id, review: false, summary };
  }
  const summary = `While a mouse points at "${short(text)}", it has a contrast of ${ratioText(ratio)}, and needs ${required}.`;
  return { rule: "sv-hover-contrast", id, review: false, summary };
}

function paleBorder({ id, filled }: SeenPaint, colour: Colour, behind: Colour): CareFault | undefined {
  const ratio = contrastRatio(blend(colour, behind), behind);
  const fill = filled ? contrastRatio(blend(filled, behind), behind) : 1;
  if (ratio >= 3 || fill >= 3) return undefined;
  const summary = `The border of this field has a contrast of ${ratioText(ratio)} to what is around it, and what fills it ${ratioText(fill)}: 3 would show where it is.`;
  return { rule: "sv-control-contrast", id, review: true, summary };
}

function judgeScripted({
  id,
  tag,
  role,
  name,
  click,
  onfocus,
  isFocusable,
  hasControl,
  ...more
}: SeenScripted): CareFault[] {
  if (/\bblur\s*\(/.test(onfocus) && isFocusable)
    return [
      {
        rule: "sv-focus-removed",
        id,
        review: false,
        summary: `The focus is taken away from "${short(name)}" when it gets it (onfocus="${short(onfocus)}").`,
      },
    ];
  if (more.actsOnDown)
    return [
      {
        rule: "sv-down-event",
        id,
        review: true,
        summary: `"${short(name)}" acts as soon as it is pressed: who has pressed it by mistake cannot move away any more.`,
      },
    ];
  const isControl =
    /^(?:a|button|input|select|textarea|summary|label|option|area|body|form|video|audio|html|iframe)$/.test(tag);
  // What takes no focus is what acting does not reach by keyboard.
  if (!click || isControl || hasControl || name === "" || !isFocusable || role !== "") return [];
  const summary = `A click on "${short(name)}" does something, and this <${tag}> has no role that says so.`;
  return [{ rule: "sv-scripted-element", id, review: true, summary }];
}
