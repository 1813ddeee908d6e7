/**
 * Which steps run, and in which order: decisions without I/O. docs/ci-steps.md has the table with measured times.
 *
 * @typedef {object} Step
 * @property {string} name
 * @property {string} command for a shell
 * @property {number} minutes expected on two quiet cores
 * @property {boolean} [always] runs whatever has changed, and however late it is
 * @property {readonly string[]} paths files and folders that it depends on
 * @property {readonly string[]} [needs] what of `capabilities` it needs
 *
 * @typedef {object} Planned
 * @property {Step} step
 * @property {"always" | "changed" | "in turn" | "asked for"} reason
 *
 * @typedef {object} Ran how a step ended
 * @property {string} name
 * @property {number} minutes that it took
 * @property {number} expected
 */

/** No step but those that always run starts later than this. */
export const LAST_START_MINUTES = 45;
/** Nor where it would probably end later than this. */
export const END_MINUTES = 60;
/** What takes longer than this, as a multiple of its minutes on this machine, hangs. */
export const MAX_TIMES_EXPECTED = 4;
/** What runs because it has changed, or in turn, is cut off then: who waits for all of it waits for 90 minutes at most. */
export const LAST_MINUTE = 85;

/**
 * Orders the steps: those that always run, those whose paths have changed, the narrowest first, and then the others in an
 * order that is another one each day.
 *
 * @param {readonly Step[]} steps
 * @param {object} given
 * @param {readonly string[]} given.changed files that differ from what landed last; "." is everything
 * @param {readonly string[]} given.files all files of the checkout
 * @param {string} given.day as 2026-11-29
 * @param {boolean} [given.all] every step, as the table has them
 * @returns {Planned[]}
 */
export function order(steps, { changed, files, day, all = false }) {
  if (all) return steps.map((step) => ({ step, reason: "asked for" }));
  const width = (/** @type {Step} */ { paths }) => files.filter((file) => isOf(file, paths)).length;
  const others = steps.filter(({ always }) => !always);
  const affected = others.filter(({ paths }) => changed.some((file) => file === "." || isOf(file, paths)));
  const rest = others.filter((step) => !affected.includes(step));
  return [
    ...steps.filter(({ always }) => always).map((step) => planned(step, "always")),
    ...affected.toSorted((one, other) => width(one) - width(other)).map((step) => planned(step, "changed")),
    ...inTurn(rest, day).map((step) => planned(step, "in turn")),
  ];
}

/**
 * @param {Step} step
 * @param {Planned["reason"]} reason
 * @returns {Planned}
 */
const planned = (step, reason) => ({ step, reason });

/**
 * Says why a step does not start now; undefined if it does.
 *
 * @param {Planned} planned
 * @param {object} given
 * @param {number} given.minute since the beginning
 * @param {readonly Ran[]} given.ran the steps before it
 * @param {readonly string[]} given.lacking what this machine does not have
 */
export function obstacle({ step, reason }, { minute, ran, lacking }) {
  const lacks = (step.needs ?? []).filter((need) => lacking.includes(need));
  if (lacks.length > 0) return `this machine has no ${lacks.join(", no ")}`;
  if (reason === "always" || reason === "asked for") return undefined;
  if (minute > LAST_START_MINUTES)
    return `it is minute ${Math.round(minute)}: none starts after minute ${LAST_START_MINUTES}`;
  const expected = step.minutes * slowness(ran);
  if (minute + expected > END_MINUTES)
    return `at minute ${Math.round(minute)} its ${Math.ceil(expected)} minutes would pass minute ${END_MINUTES}`;
  return undefined;
}

/**
 * For how long a step may run.
 *
 * @param {Planned} planned
 * @param {object} given
 * @param {number} given.minute since the beginning
 * @param {readonly Ran[]} given.ran the steps before it
 * @returns {{minutes: number, why: string, isFailure: boolean}} what it means if it has not ended by then
 */
export function limitOf({ step, reason }, { minute, ran }) {
  const limit = Math.max(1, step.minutes * slowness(ran) * MAX_TIMES_EXPECTED);
  const left = LAST_MINUTE - minute;
  const mayBeCut = reason === "changed" || reason === "in turn";
  if (mayBeCut && left < limit)
    return { minutes: left, why: `cut off at minute ${LAST_MINUTE}, and nothing said against it`, isFailure: false };
  const why = `did not end within ${limit.toFixed(1)} minutes, ${MAX_TIMES_EXPECTED} times what is expected on this machine`;
  return { minutes: limit, why, isFailure: true };
}

/**
 * How many times as long as expected the steps before took, all together; 1 if they were faster.
 *
 * @param {readonly Ran[]} ran
 */
export function slowness(ran) {
  const sum = (/** @type {"minutes" | "expected"} */ key) => ran.reduce((total, one) => total + one[key], 0);
  return Math.max(1, sum("minutes") / (sum("expected") || 1));
}

/**
 * @param {string} file
 * @param {readonly string[]} paths
 */
function isOf(file, paths) {
  return paths.some((path) => file === path || file.startsWith(`${path}/`));
}

/** Steps that take no longer share a turn. */
const SHORT_MINUTES = 1.5;
/** Of the golden section: how far the beginnings of two days that follow each other are apart. All are spread evenly. */
const TURN = (Math.sqrt(5) - 1) / 2;

/**
 * The steps from another one on each day. On a slow machine a day has time for one, so that the short ones have a turn together.
 *
 * @param {readonly Step[]} steps
 * @param {string} day
 */
function inTurn(steps, day) {
  const turns = steps.filter(({ minutes }) => minutes > SHORT_MINUTES).map((step) => [step]);
  const short = steps.filter(({ minutes }) => minutes <= SHORT_MINUTES);
  if (short.length > 0) turns.push(short);
  const begin = Math.floor((((Date.parse(`${day}T00:00:00Z`) / 86_400_000) * TURN) % 1) * turns.length);
  return [...turns.slice(begin), ...turns.slice(0, begin)].flat();
}
