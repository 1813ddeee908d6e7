/** The name of our world. A frame has at most one world of this name. */
export const WORLD = "site-validator";
