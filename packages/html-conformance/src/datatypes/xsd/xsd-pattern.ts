import { readClass } from "./xsd-class.ts";

// Regular expressions of XML Schema (https://www.w3.org/TR/xmlschema-2/#regexs). They match the whole value.
// JavaScript's engine backtracks where parts of a pattern overlap ("\s*[0-9]*\s*"), and a page could make that take
// forever. So they are run as automata, in one pass over the value. The patterns come from the grammar, not from a page.

/** A state of the nondeterministic automaton: where it leads without a character, and where with one. */
type State = { free: number[]; accepts?: (character: string) => boolean; next: number };

/** A set of those states, with the sets that characters lead to, as far as known. */
type StateSet = {
  readonly states: readonly number[];
  readonly isFinal: boolean;
  readonly ascii: (StateSet | undefined)[];
};

type Automaton = { states: State[]; start: StateSet; sets: Map<string, StateSet>; final: number };

const automata = new Map<string, Automaton>();

/** True where a whole value matches a pattern. Throws on a pattern that is not one: that is a bug of the grammar. */
export function matchesXsdPattern(pattern: string, value: string): boolean {
  let automaton = automata.get(pattern);
  if (!automaton) {
    automaton = compile(pattern);
    automata.set(pattern, automaton);
  }
  let set = automaton.start;
  for (let index = 0; index < value.length && set.states.length > 0; index++) {
    const code = value.codePointAt(index) ?? 0;
    let next = code < 128 ? set.ascii[code] : undefined;
    if (!next) {
      next = step(automaton, set, String.fromCodePoint(code));
      if (code < 128) set.ascii[code] = next;
    }
    set = next;
    if (code > 0xffff) index++;
  }
  return set.isFinal;
}

function step(automaton: Automaton, set: StateSet, character: string): StateSet {
  const reached: number[] = [];
  for (const id of set.states) {
    const state = automaton.states[id];
    if (state?.accepts?.(character)) reached.push(state.next);
  }
  return closure(automaton, reached);
}

/** The set of all states that can be reached from these without a character. */
function closure(automaton: Omit<Automaton, "start">, from: readonly number[]): StateSet {
  const reached = new Set<number>();
  const waiting = [...from];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (reached.has(id)) continue;
    reached.add(id);
    waiting.push(...(automaton.states[id]?.free ?? []));
  }
  const states = [...reached].sort((a, b) => a - b);
  const key = states.join(" ");
  let set = automaton.sets.get(key);
  if (!set) {
    set = { states, isFinal: reached.has(automaton.final), ascii: [] };
    automaton.sets.set(key, set);
  }
  return set;
}

function compile(pattern: string): Automaton {
  const builder: Builder = { pattern, index: 0, states: [] };
  const whole = readChoice(builder);
  if (builder.index < pattern.length)
    throw new Error(`the pattern ${pattern} is not understood at index ${builder.index}`);
  const unstarted = { states: builder.states, sets: new Map<string, StateSet>(), final: whole.end };
  return { ...unstarted, start: closure(unstarted, [whole.start]) };
}

type Builder = { readonly pattern: string; index: number; states: State[] };
/** A part of the automaton: its first state and its last, from which nothing leads on yet. */
type Part = { start: number; end: number };

function addState({ states }: Builder): number {
  states.push({ free: [], next: -1 });
  return states.length - 1;
}

function join(builder: Builder, from: number, to: number): void {
  builder.states[from]?.free.push(to);
}

function readChoice(builder: Builder): Part {
  const start = addState(builder);
  const end = addState(builder);
  for (;;) {
    const branch = readSequence(builder);
    join(builder, start, branch.start);
    join(builder, branch.end, end);
    if (builder.pattern[builder.index] !== "|") return { start, end };
    builder.index++;
  }
}

function readSequence(builder: Builder): Part {
  const start = addState(builder);
  let end = start;
  while (builder.index < builder.pattern.length && !"|)".includes(builder.pattern[builder.index] ?? "")) {
    const from = builder.index;
    const atom = readAtom(builder);
    const [min, max] = readQuantifier(builder);
    const behind = builder.index;
    // Each repetition is a part of its own, read from the pattern again.
    const part = repeat(builder, atom, min, max, () => {
      builder.index = from;
      return readAtom(builder);
    });
    builder.index = behind;
    join(builder, end, part.start);
    end = part.end;
  }
  return { start, end };
}

function readAtom(builder: Builder): Part {
  if (builder.pattern[builder.index] === "(") {
    builder.index++;
    const inner = readChoice(builder);
    if (builder.pattern[builder.index] !== ")") throw new Error(`the pattern ${builder.pattern} lacks a ")"`);
    builder.index++;
    return inner;
  }
  const { text, end } = readClass(builder.pattern, builder.index);
  builder.index = end;
  const expression = new RegExp(`^${text}$`, "v");
  const part = { start: addState(builder), end: addState(builder) };
  const state = builder.states[part.start];
  if (state) {
    state.accepts = (character) => expression.test(character);
    state.next = part.end;
  }
  return part;
}

/** The least and the greatest number of repetitions of the atom before. */
function readQuantifier(builder: Builder): [min: number, max: number] {
  const sign = builder.pattern[builder.index];
  const simple: [number, number] | undefined =
    sign === "?" ? [0, 1] : sign === "*" ? [0, Infinity] : sign === "+" ? [1, Infinity] : undefined;
  if (simple) {
    builder.index++;
    return simple;
  }
  const counted = /^\{(\d+)(?:(,)(\d*))?\}/.exec(builder.pattern.slice(builder.index, builder.index + 20));
  if (!counted) return [1, 1];
  builder.index += counted[0].length;
  const min = Number(counted[1]);
  return [min, counted[2] === undefined ? min : counted[3] === "" ? Infinity : Number(counted[3])];
}

function repeat(builder: Builder, first: Part, min: number, max: number, again: () => Part): Part {
  const copies = Math.max(min, max === Infinity ? 1 : max);
  const start = addState(builder);
  const end = addState(builder);
  let last = first;
  if (max > 0) join(builder, start, first.start);
  if (min === 0) join(builder, start, end);
  for (let copy = 1; copy < copies; copy++) {
    const next = again();
    join(builder, last.end, next.start);
    if (copy >= min) join(builder, last.end, end);
    last = next;
  }
  if (max === Infinity) join(builder, last.end, last.start);
  join(builder, last.end, end);
  return { start, end };
}
