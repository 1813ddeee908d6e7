/**
 * What is limited by processor time ends after this many times its limit by the wall clock, too. On an overloaded machine
 * the clock says little about a page; but a wait that uses no processor time must end as well, and one that is much longer
 * holds whatever comes after it.
 */
export const MAX_CLOCK_FACTOR = 3;
