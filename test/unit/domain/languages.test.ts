import { expect } from "chai";
import { eld } from "eld/extrasmall";
import lande from "lande";
import { judgeLanguages, type PageText } from "../../../src/domain/acting/languages.ts";
import { sentences } from "../../support/sentences.ts";

type Language = keyof typeof sentences;
const languages = Object.keys(sentences) as Language[];
const ROOT = 0;

/** Each text is on pages that declare eleven languages. It is looked at once. */
const known = new Map<string, ReturnType<typeof lande>>();
const detectors = {
  detect: (of: string) => known.get(of) ?? known.set(of, lande(of)).get(of) ?? [],
  confirm: (of: string) => eld.detect(of).language || undefined,
};

/** Texts of a page; each in an element of its own. */
const page = (lang: string, texts: readonly string[], more: Partial<PageText>[] = []) =>
  judgeLanguages(
    {
      ...{ root: ROOT, lang },
      texts: [
        ...texts.map((text, n) => ({ id: 10 + n, text, of: ROOT, lang })),
        ...more.map((one, n) => ({ id: 50 + n, text: "", of: ROOT, lang, ...one })),
      ],
    },
    detectors,
  );
const rules = (faults: ReturnType<typeof judgeLanguages>) => faults.map(({ rule, id }) => `${rule} ${id}`);
/** A text of so many sentences from one of them on. */
const text = (language: Language, from: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => sentences[language][(from + n) % sentences[language].length] ?? "");
const starts = sentences.en.map((_, n) => n);

describe("the language of a page", () => {
  /** Pages of 60 characters or more that are judged to be of another language than is declared. */
  const judged = (count: number, isRight: boolean) => {
    const pages = languages.flatMap((language) =>
      starts.flatMap((from) =>
        languages
          .filter((declared) => (declared === language) === isRight)
          .map((declared) => ({ declared, texts: text(language, from, count) })),
      ),
    );
    const long = pages.filter(({ texts }) => texts.join(" ").length >= 60);
    const found = long.filter(({ declared, texts }) =>
      rules(page(declared, texts)).includes(`sv-page-language ${ROOT}`),
    );
    return { share: found.length / long.length, pages: long.length };
  };

  for (const count of [1, 2, 4])
    it(`is told for pages of ${count} sentences in eleven languages: at most 3 % are accused, and 97 % of wrong ones found`, () => {
      const [right, wrong] = [judged(count, true), judged(count, false)];
      expect(right.pages).to.be.above(70);
      expect(right.share).to.be.at.most(0.03);
      expect(wrong.share).to.be.at.least(0.97);
    });

  it("is not told of less than 60 characters, nor for languages that the detector does not know", () => {
    expect(page("en", ["Das Mehl mahlen wir selbst, hinter dem Laden."])).to.deep.equal([]);
    for (const lang of ["cy", "la", "zxx", "und", "", "x-klingon"])
      expect(page(lang, text("de", 0, 4))).to.deep.equal([]);
  });

  it("is not said of short English texts of an application, which one detector takes for another language", () => {
    const applications = [
      ["Interface reference", "create object", "delete object", "list objects", "update object metadata"],
      ["Contact details", "First name", "Last name", "Email address", "Telephone number", "Postal code", "Submit form"],
      ["Dashboard", "Active users", "Error rate", "Median response time", "Requests per second", "Memory usage"],
      [
        "Installation",
        "Package manager",
        "Configuration file",
        "Default options",
        "Environment variables",
        "Command line",
      ],
      ["Invoice", "Total amount", "Payment due", "Customer reference", "Tax included", "Delivery address"],
    ];
    for (const texts of applications) expect(page("en", texts), texts[0]).to.deep.equal([]);
  });

  it("is no error of a translated page with a frame that nobody has translated", () => {
    const frame = [
      "Skip to main content",
      "Toggle theme of this page, which is chosen automatically",
      "Toggle theme of this page, which is a dark one",
    ];
    const translated: Record<string, string[]> = {
      hr: ["Korisničko ime:", "Lozinka:", "Prijavite se", "Zaboravili ste lozinku?"],
      is: ["Notandanafn:", "Lykilorð:", "Skrá inn", "Gleymt lykilorð?"],
      kk: ["Даңғо әкімшілігі", "Құпия сөз", "Негізгі", "Enter your address below, and we will send you what to do."],
      hy: ["Օգտագործողի անունը", "Գաղտնաբառը", "Մուտք գործել"],
      de: ["Benutzer hinzufügen", "Passwort (wiederholen):", "Speichern", "Benutzername:"],
    };
    for (const [lang, texts] of Object.entries(translated)) {
      const errors = page(lang, [...frame, ...texts]).filter(({ review }) => !review);
      expect(
        errors.map(({ summary }) => summary),
        lang,
      ).to.deep.equal([]);
    }
    const english = [...frame, ...text("en", 0, 2), "Home", "Products", "About us", "Contact"];
    expect(page("hr", english).map(({ review }) => review)).to.deep.equal([false]);
  });

  it("is not asked of English whose long words are Latin, but of a language that has some of its short words", () => {
    const technical =
      "Contains functions for processing external documents, accessing environment variables, and a number of constants.";
    expect(lande(technical)[0]?.[0]).to.equal("cat");
    expect(page("en", [technical])).to.deep.equal([]);
    const dutch = "Het brood of de taart, en voor de klanten of hun gasten ook koffie met een koek of een wafel erbij.";
    expect(rules(page("en", [dutch]))).to.deep.equal([`sv-page-language ${ROOT}`]);
  });

  it("is told of a script without capitals, although its only words with capitals are names", () => {
    const korean =
      "우리 가게는 Nordlicht 옆에 있고 Anna Berg 와 Karl Voss 가 매일 아침 빵을 굽습니다. 주문은 저녁 여섯 시까지 받습니다.";
    expect(rules(page("de", [korean, korean]))).to.deep.equal([`sv-page-language ${ROOT}`]);
    expect(page("ko", [korean, korean])).to.deep.equal([]);
  });

  it("is weighed by what a text says, not by its characters: a sign of Japanese says as much as several letters", () => {
    const japanese = [
      "私たちの店では毎朝パンを焼き、自転車で近くの家まで届けています。ご注文は前の日の夕方六時までにお願いします。",
      "小麦粉は店の裏で自分たちで挽いています。雨の日も雪の日も、焼きたてのパンを楽しみに待つ人がいます。",
    ];
    const english = text("en", 0, 6).join(" ");
    expect(english.length).to.be.above(2 * japanese.join("").length);
    expect(rules(page("ja", [...japanese, english]))).not.to.include(`sv-page-language ${ROOT}`);
  });

  it("may be said with a region or a script", () => {
    for (const lang of ["de", "de-AT", "DE", "de-Latn-DE", "de_CH"])
      expect(page(lang, text("de", 0, 4))).to.deep.equal([]);
    expect(rules(page("en-GB", text("de", 0, 4)))).to.deep.equal(["sv-page-language 0"]);
  });

  it("is not a wrong one if the page has texts in two languages: each of the other is listed", () => {
    const mixed = [...text("en", 0, 4), `${text("de", 0, 2).join(" ")}`];
    expect(rules(page("en", mixed))).to.deep.equal(["sv-part-language 14"]);
    expect(page("en", mixed)[0]?.summary).to.equal('This text seems to be German, and its lang is "en".');
  });

  it("is told without its parts and paragraphs where nobody looks at reviews", () => {
    const texts = (language: Language) =>
      text(language, 0, 4).map((one, n) => ({ id: 10 + n, text: one, of: ROOT, lang: "en" }));
    const german = { id: 50, text: text("de", 0, 2).join(" "), of: ROOT, lang: "en" };
    const part = { ...german, id: 51, of: 7, lang: "fr" };
    const judged = (all: PageText[], reviews: boolean) =>
      rules(judgeLanguages({ root: ROOT, lang: "en", texts: all }, detectors, reviews));
    expect(judged([...texts("en"), german, part], true)).to.deep.equal(["sv-part-language 50", "sv-part-language 7"]);
    expect(judged([...texts("en"), german, part], false)).to.deep.equal([]);
    expect(judged(texts("de"), false)).to.deep.equal([`sv-page-language ${ROOT}`]);
  });

  it("is not said by a quotation, which has a language of its own", () => {
    const quoted = { isQuoted: true, of: ROOT, lang: "en", text: text("de", 0, 3).join(" ") };
    expect(rules(page("en", text("en", 0, 1), [quoted]))).to.deep.equal(["sv-part-language 50"]);
  });

  it("may be another one in a part that says so, which is judged by itself", () => {
    const part = (lang: string, language: Language) => ({ of: 7, lang, text: text(language, 0, 2).join(" ") });
    expect(page("en", text("en", 0, 4), [part("fr", "fr")])).to.deep.equal([]);
    expect(rules(page("en", text("en", 0, 4), [part("fr", "it")]))).to.deep.equal(["sv-part-language 7"]);
  });

  const nothing: [string, string][] = [
    [
      "names",
      "Berlin München Hamburg Köln Frankfurt Stuttgart Düsseldorf Leipzig Dortmund Essen Bremen Dresden Hannover",
    ],
    [
      "people",
      "Müller, Schmidt, García, Kowalski, Van den Berg, O'Neill, Tanaka, Dubois, Rossi, Andersson, Petrov, Yılmaz",
    ],
    [
      "commands",
      "npm install --save-dev typescript@5.2 && git commit -m 'fix_1' && ./run.sh --port=8080 /var/log/app.log",
    ],
    [
      "a query",
      "SELECT id, name FROM users WHERE deleted_at IS NULL ORDER BY inserted_at DESC LIMIT 10 OFFSET 20 FOR UPDATE",
    ],
    [
      "numbers and units",
      "200 g, 350 ml, 12:30, 2024-01-02, ISBN 978-3-16-148410-0, 5.5 %, 3 × 4, +49 30 1234567, v1.2.3, #42, 10th",
    ],
    [
      "a menu",
      "Contact Impressum Login Download PDF Newsletter Facebook Instagram YouTube LinkedIn Home About Us Shop",
    ],
    [
      "Latin that fills",
      "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore",
    ],
  ];
  for (const [what, given] of nothing)
    it(`is not asked of ${what}`, () => {
      for (const lang of ["en", "de", "sv"]) expect(page(lang, [given]), lang).to.deep.equal([]);
    });
});
