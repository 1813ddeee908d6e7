import { lexer } from "css-tree";
import { asciiLowerCase, type Check, quote, stripSpaces } from "../text.ts";

const MAX_COLOR = 1000;
/** The functions whose arguments are checked; relative colors and newer functions are accepted. */
const JUDGED = new Set("rgb( rgba( hsl( hsla( hwb( lab( lch( oklab( oklch( url(".split(" "));
const DEPRECATED_SYSTEM_COLORS = new Set(
  (
    "activeborder activecaption appworkspace background buttonhighlight buttonshadow captiontext inactiveborder " +
    "inactivecaption inactivecaptiontext infobackground infotext menu menutext scrollbar threeddarkshadow threedface " +
    "threedhighlight threedlightshadow threedshadow window windowframe windowtext"
  ).split(" "),
);

/** https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#valid-simple-colour */
export const simpleColorProblem: Check = (value) => {
  if (value.length !== 7 || !value.startsWith("#")) return 'it must be "#" and six hexadecimal digits';
  return /^#[0-9a-f]{6}$/i.test(value) ? undefined : "it has a character that is not a hexadecimal digit";
};

/** https://drafts.csswg.org/css-color/#typedef-color */
export const colorProblem: Check = (value) => {
  const color = asciiLowerCase(stripSpaces(value));
  if (color === "") return "it is empty";
  if (color.length > MAX_COLOR || DEPRECATED_SYSTEM_COLORS.has(color)) return undefined;
  const functions = color.match(/[a-z-]+\(/g) ?? [];
  if (/\(\s*from\s/.test(color) || functions.some((name) => !JUDGED.has(name))) return undefined;
  return lexer.matchType("color", color).error ? `${quote(color)} is not a CSS color` : undefined;
};
