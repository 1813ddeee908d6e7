import { expect } from "chai";
import fc from "fast-check";
import { dueRunTime, minuteOfDay, nextRunTime } from "../../../src/domain/schedules/schedule-times.ts";
import { type Periodicity, weekdays } from "../../../src/schema/schedule.ts";

const DAY = 86_400_000;
const from = Date.UTC(2024, 0, 1);
/** Leap years 2024, 2028, 2032 and 2036, and all fourteen kinds of years but one. */
const until = Date.UTC(2037, 0, 1);

const two = (n: number): string => String(n).padStart(2, "0");
const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([hours, minutes]) => `${two(hours)}:${two(minutes)}`);
const at = fc.option(time, { nil: undefined }).map((value) => (value === undefined ? {} : { at: value }));
const daily = at.map((when): Periodicity => ({ every: "day", ...when }));
const weekly = fc
  .tuple(at, fc.option(fc.constantFrom(...weekdays), { nil: undefined }))
  .map(([when, weekday]): Periodicity => ({ every: "week", ...(weekday && { weekday }), ...when }));
const monthly = fc
  .tuple(at, fc.option(fc.integer({ min: 1, max: 28 }), { nil: undefined }))
  .map(([when, monthday]): Periodicity => ({ every: "month", ...(monthday && { monthday }), ...when }));
const periodicity = fc.oneof(daily, weekly, monthly);

/** All slots from the first day to the last, each found from the one before. */
function slotsOf(every: Periodicity, id: string): Date[] {
  const slots: Date[] = [];
  for (let after = new Date(from - 1); ; ) {
    const slot = nextRunTime(every, id, after);
    if (!slot) throw new Error("no slot");
    if (slot.getTime() >= until) return slots;
    slots.push(slot);
    after = slot;
  }
}

/** Every day with the calendar's own word for it, which the code under test does not use. */
const weekdayName = new Intl.DateTimeFormat("en-GB", { weekday: "long", timeZone: "UTC" });
const calendar = Array.from({ length: (until - from) / DAY }, (_, index) => {
  const date = new Date(from + index * DAY);
  return { text: date.toISOString().slice(0, 10), weekday: weekdayName.format(date).toLowerCase() };
});

/** The days on which a periodicity runs. */
function daysOf({ every, weekday = "monday", monthday = 1 }: Periodicity): string[] {
  const days = calendar.filter((day) => {
    if (every === "week") return day.weekday === weekday;
    return every === "day" || Number(day.text.slice(8)) === monthday;
  });
  return days.map(({ text }) => text);
}

describe("the slots of thirteen years", () => {
  const check = (every: Periodicity, id: string): void => {
    const minute = minuteOfDay(id);
    const clock = every.at ?? `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
    const wanted = daysOf(every).map((day) => `${day}T${clock}:00.000Z`);
    expect(slotsOf(every, id).map((slot) => slot.toISOString())).to.deep.equal(wanted);
  };

  it("are one on every day, the 29th of February among them, at the same time", () => {
    fc.assert(fc.property(daily, fc.uuid(), check), { numRuns: 3 });
  });

  it("are one in every week, on its day and at the same time", () => {
    fc.assert(fc.property(weekly, fc.uuid(), check), { numRuns: 8 });
  });

  it("are one in every month, whatever its length", () => {
    fc.assert(fc.property(monthly, fc.uuid(), check), { numRuns: 20 });
    fc.assert(
      fc.property(monthly, fc.uuid(), (every, id) => {
        const months = slotsOf(every, id).map((slot) => slot.toISOString().slice(0, 7));
        expect(months).to.have.lengthOf(13 * 12);
        expect(new Set(months).size).to.equal(13 * 12);
      }),
      { numRuns: 20 },
    );
  });

  it("are the same in every time zone: no clock change skips, doubles or moves one", () => {
    const zone = process.env.TZ;
    try {
      fc.assert(
        fc.property(
          periodicity,
          fc.uuid(),
          fc.constantFrom("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia"),
          (every, id, other) => {
            process.env.TZ = "UTC";
            const slots = slotsOf(every, id);
            process.env.TZ = other;
            expect(slotsOf(every, id)).to.deep.equal(slots);
          },
        ),
        { numRuns: 6 },
      );
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });
});

describe("at any time", () => {
  const moment = fc.date({ min: new Date(from), max: new Date(until), noInvalidDate: true });
  const runs = { numRuns: 500 };

  it("the next slot is the first one after it, and due from then on", () => {
    fc.assert(
      fc.property(periodicity, fc.uuid(), moment, (every, id, now) => {
        const next = nextRunTime(every, id, now);
        if (!next) throw new Error("no slot");
        expect(next.getTime()).to.be.above(now.getTime());
        expect(nextRunTime(every, id, new Date(next.getTime() - 1))).to.deep.equal(next);
        expect(dueRunTime(every, id, now, new Date(next.getTime() - 1))).to.equal(undefined);
        expect(dueRunTime(every, id, now, next)).to.deep.equal(next);
      }),
      runs,
    );
  });

  it("the due slot is the latest one that has passed, however long the service was away", () => {
    const away = fc.integer({ min: 0, max: 800 * DAY });
    fc.assert(
      fc.property(periodicity, fc.uuid(), moment, away, (every, id, since, gone) => {
        const now = new Date(since.getTime() + gone);
        const due = dueRunTime(every, id, since, now);
        const next = nextRunTime(every, id, since);
        if (!next) throw new Error("no slot");
        if (!due) {
          expect(next.getTime()).to.be.above(now.getTime());
          return;
        }
        expect(due.getTime()).to.be.within(since.getTime() + 1, now.getTime());
        expect(nextRunTime(every, id, due)?.getTime()).to.be.above(now.getTime());
        // After a slot has run, nothing is due until the next slot.
        expect(dueRunTime(every, id, due, now)).to.equal(undefined);
      }),
      runs,
    );
  });
});
