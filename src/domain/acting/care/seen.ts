import type { Colour } from "../../findings/luminance.ts";
import type { ActingRuleName } from "../rules.ts";

/**
 * What an auditor looks at on a page, read in it and not judged yet. Ids are those of the tools in the page; texts are
 * their beginnings, and everything is bounded.
 */
export type Seen = {
  tables: SeenTable[];
  preformatted: { id: number; text: string }[];
  fields: SeenField[];
  groups: SeenGroup[];
  links: SeenLink[];
  images: SeenImage[];
  blocks: SeenBlock[];
  media: SeenMedia[];
  scripted: SeenScripted[];
  /** What is moved by dragging, and has no control in it. */
  dragged: { id: number; text: string }[];
  /** Fields whose placeholder or border may be too pale. */
  painted: SeenPaint[];
  /** What flashes: animations of less than a third of a second. */
  flashing: { id: number; perSecond: number; area: number }[];
};

/** What a style shows only while a mouse points at something. */
export type SeenPointed = { id: number; text: string; numControls: number };

export type SeenCell = {
  text: string;
  isHeader: boolean;
  scope: string;
  isBold: boolean;
  hasControl: boolean;
  hasTable: boolean;
};

export type SeenTable = {
  id: number;
  role: string;
  caption: string;
  /** It is in another one, or has another one in it. */
  isNested: boolean;
  /** Its first rows. */
  rows: { isInHead: boolean; isInFoot: boolean; cells: SeenCell[] }[];
  numRows: number;
  /** Whether lines are drawn around its cells. */
  hasBorders: boolean;
  /** Whether cells name their headers. */
  hasHeaders: boolean;
};

export type SeenField = {
  id: number;
  tag: "input" | "select" | "textarea";
  type: string;
  name: string;
  form: number;
  /** What names it besides its placeholder and its title. */
  label: string;
  placeholder: string;
  title: string;
  autocomplete: string;
  /** It is disabled: nobody can fill it. */
  isOff: boolean;
  /** The fieldset or group that it is in, by a number of its own; 0 for none. */
  group: number;
  /** The text before its first sibling of the same name in the block around both; "" for none. */
  question: string;
  /** The element that it is in; -1 for none. */
  questionId: number;
  /** An element beside the field that tells what to enter, or what is wrong, and that the field does not refer to. */
  hint: { id: number; text: string; isError: boolean } | null;
};

export type SeenGroup = { id: number; isFieldset: boolean; name: string; numFields: number; hasLegend: boolean };

export type SeenLink = {
  id: number;
  name: string;
  title: string;
  /** As it is written. */
  href: string;
  /** Where it leads, with the fragment; "" for what is no address of a page. */
  target: string;
  role: string;
  opensWindow: boolean;
  hasPicture: boolean;
  hasCode: boolean;
  /** The next link, with nothing but space between them; -1 for none. */
  next: number;
  /** The text of what is around it. */
  around: string;
  /** It leads into its page: whether what it names is there, and can be seen. */
  fragment: "none" | "there" | "gone" | "hidden";
  isFirst: boolean;
  /** It may be shown when it has the focus, as skip links are. */
  isHidden: boolean;
};

export type SeenImage = {
  id: number;
  kind: "img" | "button" | "background";
  /** null: it has none. */
  alt: string | null;
  title: string;
  file: string;
  /** The text of its link or figure besides the image, and of what is next to it. */
  beside: string;
  width: number;
  height: number;
  /** What acts, and it is in it or is it. */
  acts: boolean;
  /** The name of what acts. */
  name: string;
};

export type SeenBlock = {
  id: number;
  tag: string;
  text: string;
  length: number;
  /** Its lines, as `<br>` separates them. */
  lines: string[];
  fontSize: number;
  isBold: boolean;
  isItalic: boolean;
  /** All of its text is in one element of this name: "b"; "" for several or none. */
  within: string;
  align: string;
  /** Of the font's size; 0 for what is not set. */
  lineHeight: number;
  width: number;
  direction: "ltr" | "rtl";
  /** It, or something around it within the body, has `dir`. */
  hasDirection: boolean;
  isInteractive: boolean;
  /** The block that follows in the same parent is a text of its own. */
  followedBy: number;
  isInList: boolean;
  isInForm: boolean;
  /** The element around it, by a number of its own. */
  parent: number;
  /** How often lines of it are followed by an empty one, which `<br><br>` makes. */
  numGaps: number;
  /** Text that a style sheet writes before or behind it. */
  generated: string;
};

export type SeenMedia = {
  id: number;
  kind: "audio" | "video" | "player";
  /** The text around it. */
  around: string;
};

/** What a script is attached to in the markup. */
export type SeenScripted = {
  id: number;
  tag: string;
  role: string;
  name: string;
  click: boolean;
  /** What the handler of the focus says. */
  onfocus: string;
  /** It acts when it is pressed, and not when it is released. */
  actsOnDown: boolean;
  isFocusable: boolean;
  hasControl: boolean;
};

/** Colours of a field, or of a text that is pointed at, as `rgb()` with its alpha between 0 and 1; null for what cannot be told. */
export type SeenPaint = {
  id: number;
  kind: "placeholder" | "border" | "pointed at";
  colour: Colour | null;
  behind: Colour | null;
  /** Of a border: what the field is filled with. */
  filled: Colour | null;
  text: string;
  fontSize: number;
  isBold: boolean;
};

/** Something that is to be asked, or is wrong. */
export type CareFault = { rule: ActingRuleName; id: number; review: boolean; summary: string };

export function short(text: string): string {
  const plain = text.replace(/\s+/g, " ").trim();
  return plain.length > 60 ? `${plain.slice(0, 59)}…` : plain;
}
