/**
 * A rule of axe-core that is off by default, and is run here: of the W3C's examples it finds all that fail and accuses
 * none of the others. What it leaves undecided is no review: that is so on nine of ten pages, of which it says nothing.
 */
export const ORIENTATION_LOCK = "css-orientation-lock";
