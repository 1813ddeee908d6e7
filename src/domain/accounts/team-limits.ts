/** So many teams an account has at most. */
export const MAX_TEAMS = 100;
