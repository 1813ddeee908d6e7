import { expect } from "chai";
import { GifWriter } from "omggif";
import { judgeOrder, type SeenStop } from "../../../src/domain/acting/focus-order.ts";
import { gifFlashes, gifTiming, movesLonger } from "../../../src/domain/acting/gif.ts";
import { contrastOver, isFaint, type Pixels, seenChanges } from "../../../src/domain/acting/pictures.ts";
import { type Appeared, judgePressed } from "../../../src/domain/acting/pressed.ts";
import { keysOf } from "../../../src/domain/acting/widget-keys.ts";
import { blend, contrastRatio, ratioText } from "../../../src/domain/findings/luminance.ts";

/** A picture of grey pixels, a row for each text: "#" is black, "." white, "-" nearly white. */
const picture = (...rows: string[]): Pixels => {
  const grey: Record<string, number> = { "#": 0, ".": 255, "-": 235 };
  const values = rows.flatMap((row) => [...row].map((sign) => grey[sign] ?? 128));
  return {
    width: rows[0]?.length ?? 0,
    height: rows.length,
    data: Uint8Array.from(values.flatMap((value) => [value, value, value, 255])),
  };
};

describe("What the focus changes in a picture", () => {
  const plain = picture("......", "......", "......", "......", "......", "......");
  const cases: Record<string, [before: Pixels, after: Pixels, seen: number]> = {
    "is nothing where pictures are equal": [plain, plain, 0],
    "counts pixels that stand out": [plain, picture("......", ".####.", ".####.", ".####.", ".####.", "......"), 16],
    "counts none that are a little paler": [
      plain,
      picture("------", "------", "------", "------", "------", "------"),
      0,
    ],
    "counts nothing that moved by a pixel": [
      picture("......", "..#...", "..#...", "..#...", "......", "......"),
      picture("......", "...#..", "...#..", "...#..", "......", "......"),
      0,
    ],
  };
  for (const [name, [before, after, seen]] of Object.entries(cases))
    it(name, () => expect(seenChanges(before, after)).to.equal(seen));

  it("cannot be told for pictures of two sizes", () => expect(seenChanges(plain, picture("."))).to.equal(undefined));

  it("is faint where it is less than a line along half of the longer side", () => {
    expect([isFaint(49, { width: 100, height: 20 }), isFaint(50, { width: 100, height: 20 })]).to.deep.equal([
      true,
      false,
    ]);
  });
});

describe("Contrast", () => {
  it("is that of WCAG's definition", () => {
    expect(ratioText(contrastRatio([119, 119, 119, 1], [255, 255, 255, 1]))).to.equal("4.47");
    expect(contrastRatio([0, 0, 0, 1], [255, 255, 255, 1])).to.equal(21);
  });

  it("of what is seen through is that of the mixed colour", () => {
    expect(blend([0, 0, 0, 0.5], [255, 255, 255, 1])).to.deep.equal([127.5, 127.5, 127.5, 1]);
  });

  it("over a picture has a least and a greatest value, and a share that is too little", () => {
    const { least, most, below } = contrastOver([255, 255, 255, 1], picture("##", "#."), 4.5);
    expect([least, most, below]).to.deep.equal([1, 21, 0.25]);
  });
});

describe("A GIF that flashes", () => {
  const COLOURS = [0x00_00_00, 0xff_ff_ff, 0x80_80_80, 0x88_88_88];
  const SIZE = 24;
  /** Frames of one colour, or with another one in the left part of so many pixels; delays in hundredths of a second. */
  const gifOf = (frames: readonly { colour: number; delay: number; left?: { colour: number; width: number } }[]) => {
    const bytes = new Uint8Array(100_000);
    const gif = new GifWriter(bytes, SIZE, SIZE, { loop: 0, palette: COLOURS });
    for (const { colour, delay, left } of frames) {
      const pixels = Array.from({ length: SIZE * SIZE }, (_, at) =>
        left && at % SIZE < left.width ? left.colour : colour,
      );
      gif.addFrame(0, 0, SIZE, SIZE, pixels, { delay });
    }
    return bytes.subarray(0, gif.end());
  };
  const [black, white, grey, paler] = [0, 1, 2, 3];
  const told: Record<string, [frames: Parameters<typeof gifOf>[0], share: number, perSecond: number]> = {
    "five times a second": [
      [
        { colour: black, delay: 10 },
        { colour: white, delay: 10 },
      ],
      1,
      5,
    ],
    "three times a second": [
      [
        { colour: black, delay: 17 },
        { colour: white, delay: 17 },
      ],
      0,
      0,
    ],
    "in its left third alone": [
      [
        { colour: white, delay: 8, left: { colour: black, width: 8 } },
        { colour: white, delay: 8 },
      ],
      1 / 3,
      6,
    ],
    "by less than a tenth": [
      [
        { colour: grey, delay: 10 },
        { colour: paler, delay: 10 },
      ],
      0,
      0,
    ],
    "and rests for long": [
      [...Array.from({ length: 8 }, (_, index) => ({ colour: index % 2, delay: 10 })), { colour: white, delay: 500 }],
      1,
      4,
    ],
  };
  for (const [what, [frames, share, perSecond]] of Object.entries(told))
    it(`${what}: ${perSecond}`, () => {
      expect(gifFlashes(gifOf(frames), 3)).to.deep.equal({ share, perSecond });
    });

  it("says nothing of what is no GIF, or cut off", () => {
    expect(gifFlashes(Buffer.from("<html>"), 3)).to.equal(undefined);
    const whole = gifOf([
      { colour: black, delay: 10 },
      { colour: white, delay: 10 },
    ]);
    expect(gifFlashes(whole.subarray(0, 60), 3)).to.equal(undefined);
  });
});

describe("An animated GIF", () => {
  const head = [...Buffer.from("GIF89a"), 1, 0, 1, 0, 0, 0, 0];
  const frame = (hundredths: number) => [
    ...[0x21, 0xf9, 4, 0, hundredths & 255, hundredths >> 8, 0, 0],
    ...[0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 1, 0x3b, 0],
  ];
  const again = [0x21, 0xff, 11, ...Buffer.from("NETSCAPE2.0"), 3, 1, 0, 0, 0];
  const timing = (...parts: number[][]) => gifTiming(Uint8Array.from([...head, ...parts.flat(), 0x3b]));

  it("says by its frames how long it moves, and whether it begins again", () => {
    expect(timing(frame(100), frame(300))).to.deep.equal({ frames: 2, ms: 4_000, repeats: false });
    expect(timing(again, frame(0), frame(1))).to.deep.equal({ frames: 2, ms: 200, repeats: true });
  });

  it("moves for long if it begins again, or its frames take so long; one frame never does", () => {
    const moves = (...parts: number[][]) =>
      movesLonger(timing(...parts) ?? { frames: 0, ms: 0, repeats: false }, 5_000);
    expect([moves(again, frame(10), frame(10)), moves(frame(300), frame(300)), moves(again, frame(900))]).to.deep.equal(
      [...[true, true, false]],
    );
  });

  it("is told from other files, and read as far as it goes", () => {
    expect(gifTiming(Uint8Array.from(Buffer.from("<html>")))).to.equal(undefined);
    for (let length = 0; length < 60; length += 1)
      gifTiming(Uint8Array.from([...head, ...again, ...frame(1)].slice(0, length)));
  });
});

describe("The order of the focus", () => {
  const stop = (id: number, top: number, more: Partial<SeenStop> = {}): SeenStop => ({
    ...{ id, tag: "a", text: `Stop ${id}`, box: [0, top, 100, top + 20], stays: false, isReordered: true },
    ...{ tabindex: 0, isPlain: false, ...more },
  });
  const asked = (stops: SeenStop[], clickable: number[] = []) =>
    judgeOrder(stops, new Set(clickable)).map(({ rule, id }) => `${rule} ${id}`);

  it("is asked about where it leads up in a column again and again, and a style has moved what is there", () => {
    expect(asked([stop(1, 200), stop(2, 100), stop(3, 0)])).to.deep.equal(["sv-focus-order 2"]);
    expect(asked([stop(1, 0), stop(2, 100), stop(3, 200)])).to.deep.equal([]);
    const asWritten = [200, 100, 0].map((top, id) => stop(id, top, { isReordered: false }));
    expect(asked(asWritten)).to.deep.equal([]);
  });

  it("may lead up to another column, and to what stays in the window", () => {
    expect(asked([stop(1, 400), stop(2, 0, { box: [200, 0, 300, 20] })])).to.deep.equal([]);
    expect(asked([stop(1, 900), stop(2, 0, { stays: true })])).to.deep.equal([]);
  });

  it("is asked about where numbers lead it, unless all have one", () => {
    expect(asked([stop(1, 0, { tabindex: 2 }), stop(2, 30)])).to.deep.equal(["sv-focus-order 1"]);
    expect(asked([stop(1, 0, { tabindex: 1 }), stop(2, 30, { tabindex: 2 })])).to.deep.equal([]);
  });

  it("stops at what is no control: that does nothing, or has no role for what it does", () => {
    const plain = stop(1, 0, { isPlain: true });
    expect([asked([plain]), asked([plain], [1])]).to.deep.equal([["sv-focus-order 1"], ["sv-button-state 1"]]);
  });
});

describe("What a button shows", () => {
  const shown = (more: Partial<Appeared> = {}): Appeared => ({
    ...{ id: 1, text: "Rye", numControls: 0, wasHidden: true, isLive: false, isDialog: false, covers: false },
    ...{ hasFocus: false, ...more },
  });
  const button = (states: Record<string, string> = {}, name = "Bread") => ({ states, name });
  const asked = (appeared: Appeared[], before = button(), after = before, toggles = true) =>
    judgePressed(before, after, appeared, toggles).map(({ rule, about }) => `${rule} ${about}`);

  const cases: Record<string, [is: string[], should: string[]]> = {
    "is told by a state if it comes and goes": [asked([shown()]), ["sv-button-state button"]],
    "needs none if it comes for good": [asked([shown()], button(), button(), false), []],
    "is told by a name that changes with it": [asked([shown()], button({}, "Show"), button({}, "Hide")), []],
    "is told by aria-expanded, if that changes": [
      asked([shown()], button({ "aria-expanded": "false" }), button({ "aria-expanded": "true" })),
      [],
    ],
    "is told wrongly by one that does not": [
      asked([shown()], button({ "aria-expanded": "false" })),
      ["sv-button-state button"],
    ],
    "is a dialog if it lies over the page and has controls": [
      asked([shown({ covers: true, numControls: 2 })]),
      ["sv-button-state shown"],
    ],
    "and says that it is one": [asked([shown({ covers: true, numControls: 2, isDialog: true })]), []],
    "is a message if it is short and new, and should be announced": [
      asked([shown({ wasHidden: false })]),
      ["sv-status-message shown"],
    ],
    "is no message if it is a sign": [asked([shown({ wasHidden: false, text: "«" })]), []],
    "is announced by a live region": [asked([shown({ wasHidden: false, isLive: true })]), []],
    "is met by the focus": [asked([shown({ wasHidden: false, hasFocus: true })]), []],
  };
  for (const [name, [is, should]] of Object.entries(cases)) it(name, () => expect(is).to.deep.equal(should));
});

describe("The keys of a role", () => {
  it("fail if none of them presses a button, and are a question if one does", () => {
    const button = keysOf("button");
    expect([button?.isReview(["Space", "Enter"]), button?.isReview(["Space"])]).to.deep.equal([false, true]);
    expect(keysOf("checkbox")?.isReview(["Space"])).to.equal(false);
  });

  it("are known for what promises keys, and for nothing else, whatever a page calls its role", () => {
    expect(keysOf("button")?.keys).to.deep.equal(["Space", "Enter"]);
    expect(["banner", "constructor", "__proto__", ""].map(keysOf)).to.deep.equal([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
