/** A colour of the screen: red, green and blue from 0 to 255, and how much it covers, from 0 to 1. */
export type Colour = readonly [red: number, green: number, blue: number, alpha: number];

/** A colour on another one that covers all. */
export function blend([red, green, blue, alpha]: Colour, [r, g, b]: Colour): Colour {
  const mix = (over: number, under: number) => over * alpha + under * (1 - alpha);
  return [mix(red, r), mix(green, g), mix(blue, b), 1];
}

/** WCAG 2.2, "relative luminance": 0 for black, 1 for white. */
export function luminance([red, green, blue]: Colour): number {
  const linear = (value: number) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** WCAG 2.2, "contrast ratio" of two colours that cover all: from 1 to 21. */
export function contrastRatio(one: Colour, other: Colour): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** A ratio as it is said: rounded down, so that what is too little never looks enough. */
export function ratioText(ratio: number): string {
  return (Math.floor(ratio * 100) / 100).toFixed(2);
}
