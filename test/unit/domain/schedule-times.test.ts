import { expect } from "chai";
import fc from "fast-check";
import { dueRunTime, minuteOfDay, nextRunTime } from "../../../src/domain/schedules/schedule-times.ts";
import { type Periodicity, weekdays } from "../../../src/schema/schedule.ts";

const id = "0b5a1c52-6f0e-4b0a-9d5e-2f7d5f1f7a11";
const utc = (text: string): Date => new Date(`${text}Z`);

describe("nextRunTime", () => {
  const rows: [name: string, periodicity: Periodicity, after: string, expected: string][] = [
    ["later on the same day", { every: "day", at: "14:30" }, "2026-03-10T09:00", "2026-03-10T14:30"],
    ["and not the slot itself again", { every: "day", at: "14:30" }, "2026-03-10T14:30", "2026-03-11T14:30"],
    ["across the end of a year", { every: "day", at: "00:00" }, "2026-12-31T00:01", "2027-01-01T00:00"],
    ["on the 29th of February", { every: "day", at: "06:00" }, "2028-02-28T07:00", "2028-02-29T06:00"],
    ["on Monday if no weekday is given", { every: "week", at: "08:00" }, "2026-03-10T09:00", "2026-03-16T08:00"],
    ["on a Sunday", { every: "week", weekday: "sunday", at: "23:59" }, "2026-03-10T09:00", "2026-03-15T23:59"],
    ["on the 1st if no monthday is given", { every: "month", at: "00:00" }, "2026-02-01T00:00", "2026-03-01T00:00"],
    [
      "on the 28th, in February too",
      { every: "month", monthday: 28, at: "12:00" },
      "2026-02-01T00:00",
      "2026-02-28T12:00",
    ],
  ];
  for (const [name, periodicity, after, expected] of rows) {
    it(`gives the next one ${name}`, () => {
      expect(nextRunTime(periodicity, id, utc(after))).to.deep.equal(utc(expected));
    });
  }

  const berlin = { timeZone: "Europe/Berlin" };
  const local: [name: string, periodicity: Periodicity, after: string, expected: string][] = [
    ["in summer", { every: "day", at: "14:30", ...berlin }, "2026-07-10T09:00", "2026-07-10T12:30"],
    ["in winter", { every: "day", at: "14:30", ...berlin }, "2026-01-10T09:00", "2026-01-10T13:30"],
    [
      "at the end of the hour that the clock skips",
      { every: "day", at: "02:30", ...berlin },
      "2026-03-29T00:00",
      "2026-03-29T01:00",
    ],
    [
      "once in the hour that the clock shows twice",
      { every: "day", at: "02:30", ...berlin },
      "2026-10-24T12:00",
      "2026-10-25T00:30",
    ],
    ["and not again in that hour", { every: "day", at: "02:30", ...berlin }, "2026-10-25T00:30", "2026-10-26T01:30"],
    [
      "on the weekday of the place",
      { every: "week", weekday: "monday", at: "00:30", timeZone: "Pacific/Auckland" },
      "2026-03-08T00:00",
      "2026-03-08T11:30",
    ],
    [
      "where a day begins with its second hour",
      { every: "day", at: "00:00", timeZone: "America/Santiago" },
      "2026-09-05T12:00",
      "2026-09-06T04:00",
    ],
  ];
  for (const [name, periodicity, after, expected] of local) {
    it(`gives the next one by the clock of a place, ${name}`, () => {
      expect(nextRunTime(periodicity, id, utc(after))).to.deep.equal(utc(expected));
    });
  }

  it("gives each of several times, on each of several weekdays, in order", () => {
    const periodicity: Periodicity = { every: "week", weekday: "thursday, monday", at: "18:00,06:30" };
    const slots: (string | undefined)[] = [];
    let after = utc("2026-03-10T00:00");
    for (let n = 0; n < 5; n += 1) {
      after = nextRunTime(periodicity, id, after) ?? after;
      slots.push(after.toISOString().slice(0, 16));
    }
    expect(slots).to.deep.equal([
      ...["2026-03-12T06:30", "2026-03-12T18:00", "2026-03-16T06:30", "2026-03-16T18:00", "2026-03-19T06:30"],
    ]);
  });

  it("gives none for a schedule that only deploys start", () => {
    expect(nextRunTime({ every: "deploy" }, id, utc("2026-03-10T09:00"))).to.equal(undefined);
  });

  it("gives the minute that the id determines if no time is given", () => {
    const slot = nextRunTime({ every: "day" }, id, utc("2026-03-10T00:00"));
    expect(slot && slot.getUTCHours() * 60 + slot.getUTCMinutes()).to.equal(minuteOfDay(id));
  });
});

describe("minuteOfDay", () => {
  it("spreads ids evenly: no hour of the day has more than twice the average", () => {
    const hours = new Array<number>(24).fill(0);
    for (let n = 0; n < 24_000; n++) {
      const hour = Math.floor(minuteOfDay(`00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`) / 60);
      hours[hour] = (hours[hour] ?? 0) + 1;
    }
    expect(Math.max(...hours)).to.be.below(2_000);
    expect(Math.min(...hours)).to.be.above(500);
  });
});

describe("dueRunTime", () => {
  const daily: Periodicity = { every: "day", at: "06:00" };

  it("is none before the first slot", () => {
    expect(dueRunTime(daily, id, utc("2026-03-10T07:00"), utc("2026-03-11T05:59"))).to.equal(undefined);
  });

  it("is the slot from its time on", () => {
    expect(dueRunTime(daily, id, utc("2026-03-10T07:00"), utc("2026-03-11T06:00"))).to.deep.equal(
      utc("2026-03-11T06:00"),
    );
  });

  it("is only the latest of several missed ones", () => {
    expect(dueRunTime(daily, id, utc("2026-03-01T07:00"), utc("2026-03-11T09:00"))).to.deep.equal(
      utc("2026-03-11T06:00"),
    );
  });

  it("is none once that slot has run", () => {
    expect(dueRunTime(daily, id, utc("2026-03-11T06:00"), utc("2026-03-11T23:00"))).to.equal(undefined);
  });
});

describe("the slots of years", () => {
  const time = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map(([hours, minutes]) => `${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`);
  const periodicity: fc.Arbitrary<Periodicity> = fc.oneof(
    fc.record({ every: fc.constant("day" as const), at: time }),
    fc.record({ every: fc.constant("week" as const), weekday: fc.constantFrom(...weekdays), at: time }),
    fc.record({
      every: fc.constant("day" as const),
      at: fc.array(time, { minLength: 1, maxLength: 3 }).map((times) => times.join(",")),
      timeZone: fc.constantFrom("Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu"),
    }),
    fc.record({ every: fc.constant("month" as const), monthday: fc.integer({ min: 1, max: 28 }), at: time }),
  );
  const moment = fc.date({ min: utc("2024-01-01T00:00"), max: utc("2032-12-31T00:00"), noInvalidDate: true });

  it("come once a day, week or month, in order, and each is due exactly when it is next", () => {
    fc.assert(
      fc.property(periodicity, moment, (every, start) => {
        let after = start;
        for (let n = 0; n < 30; n++) {
          const slot = nextRunTime(every, id, after);
          if (!slot) throw new Error("no slot");
          const days = (slot.getTime() - after.getTime()) / 86_400_000;
          expect(days).to.be.above(0);
          // The day on which a clock is set back has 25 hours.
          const longest = every.timeZone === undefined ? 0 : 1 / 24;
          expect(days).to.be.at.most({ day: 1, week: 7, month: 31, deploy: 0 }[every.every] + longest);
          // Between two slots nothing is due. At a slot's moment that slot is due.
          expect(dueRunTime(every, id, after, new Date(slot.getTime() - 1))).to.equal(undefined);
          expect(dueRunTime(every, id, after, slot)).to.deep.equal(slot);
          after = slot;
        }
      }),
    );
  });
});
