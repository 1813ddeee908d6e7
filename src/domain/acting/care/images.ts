import type { CareFault, Seen, SeenImage, SeenMedia } from "./seen.ts";
import { short } from "./seen.ts";

const rule = "sv-image-name" as const;
const PREFIX =
  /^(?:an? |the )?(?:image|picture|photo(?:graph)?|graphic|bild|foto|image|imagen|immagine) (?:of|von|de|di)\b/i;
const ACTION = /^(?:click|submit|button|image|go|press|ok|input)$/i;
/** A background that is smaller is a sign, one that is wider, or called so, is the ground of something, in CSS pixels. */
const MIN_PICTURE = 48;
const MAX_PICTURE = 900;
const DECORATION =
  /(?:^|[-_.])(?:bg|back(?:ground)?|pattern|texture|shadow|gradient|line|border|divider|separator|spacer|corner|sprites?|arrow|bullet|decor\w*|hintergrund|fond)(?:[-_.\d]|$)/i;
/** Longer alternatives are texts of their own. */
const MAX_ALT = 200;
const TRANSCRIPT =
  /transcript|transkript|transcription|transcripción|trascrizione|text version|textfassung|caption|subtitle|untertitel|sous-titre/i;

/** Images whose text alternative says nothing, or says what stands beside it. */
export function judgeImages({ images }: Pick<Seen, "images">): CareFault[] {
  return images.flatMap((image) => {
    const summary = faultOf(image);
    return summary === undefined ? [] : [{ rule, id: image.id, review: true, summary }];
  });
}

function faultOf({ kind, alt, title, beside, width, height, acts, name, file }: SeenImage): string | undefined {
  if (kind === "background") {
    if (name !== "" || width < 8 || height < 8) return undefined;
    if (acts) return `What this does is shown by a background image alone (${short(file)}).`;
    if (Math.min(width, height) < MIN_PICTURE || width > MAX_PICTURE || DECORATION.test(file)) return undefined;
    return `This element has a picture (${short(file)}) as its background, and no text: if it says something, nobody hears it.`;
  }
  if (alt === null) return undefined;
  const plain = alt.trim();
  if (kind === "button" && ACTION.test(plain)) return `"${short(plain)}" does not say what this button does.`;
  if (plain === "" && title.trim() !== "" && width > 4 && height > 4)
    return `Its alternative is empty, as that of an image that says nothing, and its title is "${short(title)}".`;
  // Of a link or a button, axe-core says it.
  if (!acts && plain.length > 2 && sameWords(plain, beside))
    return `"${short(plain)}" stands beside the image, too, so that it is read twice.`;
  if (PREFIX.test(plain))
    return `"${short(plain)}" tells that it is an image, which is told anyway, ${acts ? "instead of where it leads" : "before it tells what is shown"}.`;
  if (plain.length > MAX_ALT)
    return `The alternative has ${plain.length} characters, and is read at one go: it may say the same in fewer, and the rest beside the image.`;
  return undefined;
}

function sameWords(a: string, b: string): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
  return plain(a) !== "" && plain(a) === plain(b);
}

/** Sound and films of the page that say nothing to who cannot hear, or not see, them. */
export function judgeMedia({ media }: Pick<Seen, "media">): CareFault[] {
  return media.flatMap(({ id, kind, around }: SeenMedia): CareFault[] => {
    if (TRANSCRIPT.test(around)) return [];
    if (kind === "audio")
      return [{ rule: "sv-transcript", id, review: true, summary: "Nothing beside this recording leads to its text." }];
    // Of a <video>, axe-core asks it.
    if (kind === "video") return [];
    const summary = "Whether the film in this player has captions has to be looked at.";
    return [{ rule: "sv-captions", id, review: true, summary }];
  });
}
