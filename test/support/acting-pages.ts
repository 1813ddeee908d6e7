import type { ActingRuleName, SiteRuleName } from "../../src/domain/acting/rules.ts";

/** Bodies of pages for a rule: two that fail it, one that passes it, and one that it does not apply to. */
export type ActingPages = { fails: readonly [string, string]; passes: string; other: string };

const LINKS = '<p><a href="/prices">Prices</a> <a href="/shop">Shop</a></p>';
const TEXT = "We bake our bread every morning, and deliver it by bicycle.";

const GERMAN =
  "Wir backen unser Brot jeden Morgen und liefern es mit dem Fahrrad aus. Wer bis sechs Uhr bestellt, bekommt es noch am selben Tag, auch wenn es regnet.";

/** The address of a sound: so many seconds of a tone. */
export function tone(seconds: number): string {
  const rate = 3_000;
  const samples = Uint8Array.from(
    { length: seconds * rate },
    (_, n) => 128 + 60 * Math.sin((2 * Math.PI * 440 * n) / rate),
  );
  const head = Buffer.from("RIFF    WAVEfmt                     data    ");
  head.writeUInt32LE(36 + samples.length, 4);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.writeUInt32LE(samples.length, 40);
  return `data:audio/wav;base64,${Buffer.concat([head, samples]).toString("base64")}`;
}

/** Written for this project, from the texts of the success criteria. */
export const actingPages: Readonly<Record<Exclude<ActingRuleName, SiteRuleName>, ActingPages>> = {
  "sv-keyboard-trap": {
    fails: [
      `${LINKS}<label>Note <textarea id="note"></textarea></label>${LINKS}
      <script>note.addEventListener("keydown", (event) => { if (event.key === "Tab") event.preventDefault(); })</script>`,
      `${LINKS}<div id="pair"><button id="first">First</button> <button>Second</button></div>${LINKS}
      <script>pair.addEventListener("focusout", () => setTimeout(() => {
        if (!pair.contains(document.activeElement)) first.focus();
      }, 20))</script>`,
    ],
    passes: `${LINKS}<label>Code <textarea id="code"></textarea></label><p>Escape leads out of the code.</p>${LINKS}
      <script>let isIn = true; code.addEventListener("focus", () => { isIn = true; });
      code.addEventListener("keydown", (event) => {
        if (event.key === "Escape") isIn = false; else if (event.key === "Tab" && isIn) event.preventDefault();
      })</script>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-focus-visible": {
    fails: [
      `<style>a:focus { outline: 0 }</style>${LINKS}`,
      `<style>.away { position: absolute; left: -9999px }</style><p><a class="away" href="#shop">Skip</a></p>${LINKS}<p id="shop">${TEXT}</p>`,
    ],
    passes: `<style>a:focus { outline: 0; box-shadow: 0 0 0 3px navy }</style>${LINKS}`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-table-headers": {
    fails: [
      `<table>
  <tr><td>Bread</td><td>Price</td></tr>
  <tr><td>Rye</td><td>4.20 €</td></tr>
  <tr><td>Spelt</td><td>4.80 €</td></tr>
</table>`,
      `<pre>Bread      Price      Weight
Rye        4.20       1 kg
Spelt      4.80       750 g
Wheat      3.90       500 g</pre>`,
    ],
    passes: `<table>
  <tr><th scope="col">Bread</th><th scope="col">Price</th></tr>
  <tr><td>Rye</td><td>4.20 €</td></tr>
  <tr><td>Spelt</td><td>4.80 €</td></tr>
</table>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-field-group": {
    fails: [
      `<form action="/order">
  <p>How do you pay?</p>
  <p><label><input type="radio" name="pay" value="cash"> Cash</label></p>
  <p><label><input type="radio" name="pay" value="card"> Card</label></p>
  <p><button>Order</button></p>
</form>`,
      `<form action="/order"><fieldset><label>Loaves <input name="a"></label> <label>Rolls <input name="b"></label></fieldset><button>Order</button></form>`,
    ],
    passes: `<form action="/order">
  <fieldset>
    <legend>How do you pay?</legend>
    <p><label><input type="radio" name="pay" value="cash"> Cash</label></p>
    <p><label><input type="radio" name="pay" value="card"> Card</label></p>
  </fieldset>
  <p><button>Order</button></p>
</form>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-field-label": {
    fails: [
      `<form action="/search">
  <p><input name="bread" placeholder="Kind of bread"> <button>Search</button></p>
</form>`,
      `<form action="/order"><p><label>Address <input name="a"></label> <label>Address <input name="b"></label> <button>Order</button></p></form>`,
    ],
    passes: `<form action="/search">
  <p><label>Kind of bread <input name="bread"></label> <button>Search</button></p>
</form>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-field-purpose": {
    fails: [
      `<form action="/order">
  <p><label>First name <input name="a"></label></p>
  <p><label>Email address <input type="email" name="b"></label></p>
  <p><button>Order</button></p>
</form>`,
      `<form action="/order"><p><label>Nachname <input name="a"></label> <label>Telefon <input type="tel" name="b"></label> <button>Bestellen</button></p></form>`,
    ],
    passes: `<form action="/order">
  <p><label>First name <input name="a" autocomplete="given-name"></label></p>
  <p><label>Email address <input type="email" name="b" autocomplete="email"></label></p>
  <p><button>Order</button></p>
</form>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-heading-markup": {
    fails: [
      `<p><b>Our oven</b></p>
<p>We bake our bread every morning, and deliver it by bicycle.</p>`,
      `<div style="font-size: 1.6em">Our oven</div><p>We bake our bread every morning, and deliver it by bicycle.</p>`,
    ],
    passes: `<h2>Our oven</h2>
<p>We bake our bread every morning, and deliver it by bicycle.</p>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-list-markup": {
    fails: [
      `<p>- Rye bread<br>- Spelt bread<br>- Rolls with seeds</p>`,
      `<div>1. Mix the flour with water<br>2. Let it rest<br>3. Bake it for an hour</div>`,
    ],
    passes: `<ul>
  <li>Rye bread</li>
  <li>Spelt bread</li>
  <li>Rolls with seeds</li>
</ul>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-generated-text": {
    fails: [
      `<style>
  .price::after { content: "per loaf, with tax" }
</style>
<p class="price">4.20 €</p>`,
      `<style>p.new::before { content: "New today" }</style><p class="new">Rye bread with seeds</p>`,
    ],
    passes: `<p class="price">4.20 € per loaf, with tax</p>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-text-direction": {
    fails: [
      `<p lang="ar">نخبز خبزنا كل صباح ونوصله بالدراجة إلى البيت.</p>`,
      `<div lang="he">אנחנו אופים את הלחם שלנו בכל בוקר ומביאים אותו באופניים.</div>`,
    ],
    passes: `<p lang="ar" dir="rtl">نخبز خبزنا كل صباح ونوصله بالدراجة إلى البيت.</p>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-text-presentation": {
    fails: [
      `<p style="text-align: justify">The oven is warm from two in the morning on. Then the first dough, which has rested since the evening before, is cut and shaped by hand, and the first loaves come out of it when the birds begin to sing. Whoever comes before six gets them warm, and the others find them in the shop next door until noon.</p>`,
      `<p style="max-width: 30em; line-height: 1">The oven is warm from two in the morning on. Then the first dough, which has rested since the evening before, is cut and shaped by hand, and the first loaves come out of it when the birds begin to sing. Whoever comes before six gets them warm, and the others find them in the shop next door until noon.</p>`,
    ],
    passes: `<p style="max-width: 30em">The oven is warm from two in the morning on. Then the first dough, which has rested since the evening before, is cut and shaped by hand, and the first loaves come out of it when the birds begin to sing. Whoever comes before six gets them warm, and the others find them in the shop next door until noon.</p>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-transcript": {
    fails: [
      `<p><a href="/talks/oven.mp3">The baker about the oven</a></p>`,
      `<div><audio controls src="/talk.mp3"></audio></div>`,
    ],
    passes: `<p><a href="/talks/oven.mp3">The baker about the oven</a> (<a href="/talks/oven.html">transcript</a>)</p>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-captions": {
    fails: [
      `<iframe title="The oven" src="https://www.youtube-nocookie.com/embed/x"></iframe>`,
      `<div><iframe title="Our shop" src="https://player.vimeo.com/video/1"></iframe></div>`,
    ],
    passes: `<iframe title="The oven" src="https://www.youtube-nocookie.com/embed/x"></iframe>
<p>The film has captions.</p>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-skip-link": {
    fails: [
      `<p><a href="#content">Skip to content</a></p>
<main>
  <h1>Bread</h1>
  <p>We bake our bread every morning, and deliver it by bicycle.</p>
</main>`,
      `<p><a href="#main">Skip navigation</a></p><div id="content"><p>We bake our bread every morning, and deliver it by bicycle.</p></div>`,
    ],
    passes: `<p><a href="#content">Skip to content</a></p>
<main id="content">
  <h1>Bread</h1>
  <p>We bake our bread every morning, and deliver it by bicycle.</p>
</main>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-focus-removed": {
    fails: [
      `<p><a href="/shop" onfocus="this.blur()">Shop</a></p>`,
      `<p><button type="button" onfocus="blur()">Order</button></p>`,
    ],
    passes: `<p><a href="/shop">Shop</a></p>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-scripted-element": {
    fails: [
      `<div tabindex="0" onclick="document.getElementById('map').hidden = false">Show the map</div>
<p id="map" hidden>The map.</p>`,
      `<p>Our shop: <span tabindex="0" onclick="this.textContent = 'from six to noon'">opening hours</span></p>`,
    ],
    passes: `<button type="button" onclick="document.getElementById('map').hidden = false">Show the map</button>
<p id="map" hidden>The map.</p>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-scripted-link": {
    fails: [
      `<p><a href="#" onclick="print()">Print this page</a></p>`,
      `<p><a href="javascript:void(0)">Show all breads</a></p>`,
    ],
    passes: `<p><button type="button" onclick="print()">Print this page</button></p>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-new-window": {
    fails: [
      `<p><a href="/prices" target="_blank">Prices</a></p>`,
      `<p><a href="https://example.com/" target="shop">Our shop</a></p>`,
    ],
    passes: `<p><a href="/prices" target="_blank">Prices (opens in a new window)</a></p>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-document-link": {
    fails: [
      `<p><a href="/prices.pdf">All prices</a></p>`,
      `<p>See <a href="/list.xlsx">the list of our breads</a>.</p>`,
    ],
    passes: `<p><a href="/prices.pdf">All prices (PDF, 200 kB)</a></p>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-adjacent-links": {
    fails: [
      `<p><a href="/shop"><img src="/shop.png" alt="The door of the shop"></a> <a href="/shop">Our shop</a></p>`,
      `<p><a href="/prices">Prices</a> <a href="/prices">All of them</a></p>`,
    ],
    passes: `<p><a href="/shop"><img src="/shop.png" alt=""> Our shop</a></p>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-dialog-focus": {
    fails: [
      `<p><button type="button" aria-haspopup="dialog" onclick="document.getElementById('box').hidden = false">Opening hours</button></p>
<div id="box" role="dialog" aria-modal="true" aria-label="Opening hours" hidden>
  <p>From six to noon.</p>
  <p><button type="button" onclick="document.getElementById('box').hidden = true">Close</button></p>
</div>
<script>
  addEventListener("keydown", ({ key }) => { if (key === "Escape") document.getElementById("box").hidden = true; });
</script>`,
      `<p><button type="button" aria-haspopup="dialog" aria-controls="note" onclick="note.style.display = 'block'">Note</button></p><div id="note" role="dialog" aria-modal="true" aria-label="Note" style="display: none"><p>Closed on Monday.</p></div><script>addEventListener("keydown", (event) => { if (event.key === "Escape") note.style.display = "none"; })</script>`,
    ],
    passes: `<p><button type="button" aria-haspopup="dialog" onclick="document.getElementById('box').showModal()">Opening hours</button></p>
<dialog id="box" aria-label="Opening hours">
  <p>From six to noon.</p>
  <p><button type="button" onclick="document.getElementById('box').close()">Close</button></p>
</dialog>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-hover-only": {
    fails: [
      `<style>
  .menu ul { display: none }
  .menu:hover ul { display: block }
</style>
<div class="menu"><a href="/bread">Bread</a>
  <ul>
    <li><a href="/bread/rye">Rye</a></li>
  </ul>
</div>`,
      `<style>.tip span { visibility: hidden } .tip:hover span { visibility: visible }</style><p class="tip">Rye bread <span>with seeds and honey</span></p>`,
    ],
    passes: `<style>
  .menu ul { display: none }
  .menu:hover ul, .menu:focus-within ul { display: block }
</style>
<div class="menu"><a href="/bread">Bread</a>
  <ul>
    <li><a href="/bread/rye">Rye</a></li>
  </ul>
</div>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-button-keys": {
    fails: [
      `<p><span role="button" tabindex="0" onclick="this.textContent = 'From six'">Opening hours</span></p>`,
      `<div role="button" tabindex="0" onclick="this.textContent = 'Shown'">Opening hours</div>`,
    ],
    passes: `<p><a href="#hours">Opening hours</a></p>
<p id="hours">From six to noon.</p>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-blank-markup": {
    fails: [
      `<div>People order their bread in the evening, and get it before breakfast on the next day.<br><br>Whoever orders ten loaves gets one more, and all of them in a basket of ours.<br><br>Bring the basket back when you like; there is a shelf for it beside the door.</div>`,
      `<p>W E L C O M E to our bakery.</p>`,
    ],
    passes: `<p>People order their bread in the evening, and get it before breakfast on the next day.</p>
<p>Whoever orders ten loaves gets one more, and all of them in a basket of ours.</p>`,
    other: `<pre>A B C D E F G</pre><p>Bread<br><br>Cake</p>`,
  },
  "sv-section-headings": {
    fails: [
      `<p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p>`,
      `<p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p>`,
    ],
    passes: `<p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p>
<h2>The basket</h2>
<p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p><p>People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day. People order their bread in the evening, and get it before breakfast on the next day.</p>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-sensory-words": {
    fails: [
      `<form action="/order">
  <p>To go on, press the round button on the right.</p>
  <p><button>Order</button></p>
</form>`,
      `<form action="/order"><p>Click the green button to order.</p><p><button>Order</button></p></form>`,
    ],
    passes: `<form action="/order">
  <p>To go on, press “Order”, the round button on the right.</p>
  <p><button>Order</button></p>
</form>`,
    other: `<p>Click the green button to order.</p>`,
  },
  "sv-colour-words": {
    fails: [
      `<p>Items in red are sold out.</p>
<ul>
  <li style="color: #b00">Rye</li>
  <li>Spelt</li>
</ul>`,
      `<form action="/order"><p>Fields marked in red are required.</p><p><button>Order</button></p></form>`,
    ],
    passes: `<ul>
  <li>Rye (sold out)</li>
  <li>Spelt</li>
</ul>`,
    other: `<p>We bake in red ovens.</p>`,
  },
  "sv-placeholder-contrast": {
    fails: [
      `<style>::placeholder { color: #bbb }</style>
<form action="/order">
  <p><label>Bread <input name="bread" placeholder="such as rye"></label></p>
</form>`,
      `<style>::placeholder { color: #000; opacity: 0.3 }</style><p><label>Bread <input name="bread" placeholder="such as rye"></label></p>`,
    ],
    passes: `<style>::placeholder { color: #555; opacity: 1 }</style>
<form action="/order">
  <p><label>Bread <input name="bread" placeholder="such as rye"></label></p>
</form>`,
    other: `<style>::placeholder { color: #bbb }</style><p><label>Bread <input value="Rye" placeholder="such as rye"></label></p>`,
  },
  "sv-hover-contrast": {
    fails: [
      `<style>
  a { color: #036 }
  a:hover { color: #9cf }
</style>
<p><a href="/bread">Our bread</a></p>`,
      `<style>button { color: #000; background: #eee; transition: background 3s } button:hover { background: #333 }</style>
<p><button type="button">Opening hours</button></p>`,
    ],
    passes: `<style>
  a { color: #036 }
  a:hover { color: #000; text-decoration: none }
</style>
<p><a href="/bread">Our bread</a></p>`,
    other: `<style>a { color: #036 } p:hover .gone, a:not(:hover) { color: #024 } li:hover a { color: #eee }</style><p><a href="/bread">Our bread</a></p>`,
  },
  "sv-control-contrast": {
    fails: [
      `<style>input { border: 1px solid #ddd; background: #fff }</style>
<form action="/order">
  <p><label>Bread <input name="bread"></label></p>
</form>`,
      `<style>textarea { border: 2px solid #eee; background: #fafafa }</style><p><label>Note <textarea></textarea></label></p>`,
    ],
    passes: `<style>input { border: 1px solid #555; background: #fff }</style>
<form action="/order">
  <p><label>Bread <input name="bread"></label></p>
</form>`,
    other: `<style>input { border: 1px solid #ddd; background: #222; color: #fff }</style><p><label>Bread <input></label></p>`,
  },
  "sv-drag-only": {
    fails: [
      `<ul>
  <li draggable="true">Rye</li>
  <li draggable="true">Spelt</li>
</ul>`,
      `<p draggable="true">Put this bread into the basket</p>`,
    ],
    passes: `<ul><li>Rye</li><li>Spelt</li></ul>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-down-event": {
    fails: [
      `<p><button type="button" onmousedown="this.title = 'More'">Opening hours</button></p>`,
      `<p><button type="button" ontouchstart="this.title = 'More'">Opening hours</button></p>`,
    ],
    passes: `<p><button type="button" onclick="this.title = 'More'">Opening hours</button></p>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-flashing": {
    fails: [
      `<style>
  @keyframes flash { 50% { background: #fff } }
  .offer { width: 250px; height: 300px; background: #000; animation: flash 0.2s 10 }
</style>
<div class="offer"></div>`,
      `<style>@keyframes f { to { opacity: 0 } } .offer { width: 250px; height: 200px; background: #000; animation: f 0.1s 20 alternate }</style><div class="offer"></div>`,
    ],
    passes: `<style>
  .offer { width: 250px; height: 300px; background: #000 }
</style>
<div class="offer"></div>`,
    other: `<style>@keyframes f { to { opacity: 0 } } .dot { width: 20px; height: 20px; background: #000; animation: f 0.1s 20 alternate }</style><div class="dot"></div>`,
  },
  "sv-field-message": {
    fails: [
      `<form action="/order">
  <p><label for="day">Day</label> <input id="day" name="day"> <small class="hint">Day and month: 31.12.</small></p>
</form>`,
      `<p><label for="day">Day</label> <input id="day" value="32"></p><p class="error">No month has so many days.</p>`,
    ],
    passes: `<form action="/order">
  <p><label for="day">Day</label> <input id="day" name="day" aria-describedby="how"> <small class="hint" id="how">Day and month: 31.12.</small></p>
</form>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-field-error": {
    fails: [
      `<form action="/order">
  <p><label>Bread <input id="bread" required></label></p>
  <p id="wrong"></p>
  <p><button>Order</button></p>
</form>
<script>
  bread.addEventListener("invalid", (event) => {
    event.preventDefault();
    wrong.textContent = "Please say which bread.";
  });
</script>`,
      `<form action="/order"><p><label>Bread <input id="bread" required></label></p><p id="wrong"></p></form><script>bread.onblur = () => { wrong.textContent = bread.value ? "" : "Please say which bread."; }</script>`,
    ],
    passes: `<form action="/order">
  <p><label>Bread <input id="bread" required aria-describedby="wrong"></label></p>
  <p id="wrong"></p>
  <p><button>Order</button></p>
</form>
<script>
  bread.addEventListener("invalid", (event) => {
    event.preventDefault();
    bread.setAttribute("aria-invalid", "true");
    wrong.textContent = "Please say which bread.";
  });
</script>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-widget-keys": {
    fails: [
      `<div role="checkbox" aria-checked="false" tabindex="0" onclick="this.ariaChecked = this.ariaChecked !== 'true'">Sliced</div>`,
      `<div role="listbox" aria-label="Bread"><div role="option" aria-selected="true" onclick="this.ariaSelected = true">Rye</div><div role="option" aria-selected="false" onclick="this.ariaSelected = true">Spelt</div></div>`,
    ],
    passes: `<p><label><input type="checkbox" name="sliced"> Sliced</label></p>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-focus-order": {
    fails: [
      `<div style="display: flex; flex-direction: column-reverse">
  <p><a href="/rye">Rye</a></p>
  <p><a href="/spelt">Spelt</a></p>
  <p><a href="/wheat">Wheat</a></p>
</div>`,
      `<p><a href="/rye" tabindex="2">Rye</a></p><p><a href="/spelt">Spelt</a></p>`,
    ],
    passes: `<div style="display: flex; flex-direction: column">
  <p><a href="/rye">Rye</a></p>
  <p><a href="/spelt">Spelt</a></p>
  <p><a href="/wheat">Wheat</a></p>
</div>`,
    other: `<p tabindex="-1">${TEXT}</p>`,
  },
  "sv-button-state": {
    fails: [
      `<p><button type="button" id="shows">Our bread</button></p>
<ul id="list" hidden>
  <li><a href="/rye">Rye</a></li>
</ul>
<script>
  shows.addEventListener("click", () => {
    list.hidden = !list.hidden;
  });
</script>`,
      `<p><span tabindex="0" id="more">More</span></p><p id="text" hidden>${TEXT}</p><script>more.addEventListener("click", () => { text.hidden = false; }); more.addEventListener("keydown", ({ key }) => { if (key === "Enter") text.hidden = false; })</script>`,
    ],
    passes: `<p><button type="button" id="shows" aria-expanded="false">Our bread</button></p>
<ul id="list" hidden>
  <li><a href="/rye">Rye</a></li>
</ul>
<script>
  shows.addEventListener("click", () => {
    list.hidden = !list.hidden;
    shows.setAttribute("aria-expanded", String(!list.hidden));
  });
</script>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-status-message": {
    fails: [
      `<p><button type="button" id="asks">Is there rye bread?</button></p>
<p id="answer"></p>
<script>
  asks.addEventListener("click", () => { answer.textContent = "There are four loaves."; });
</script>`,
      `<p><button type="button" id="asks">Count our loaves</button></p><div id="answer"></div><script>asks.onclick = () => { answer.innerHTML = "<p>Twelve loaves</p>"; }</script>`,
    ],
    passes: `<p><button type="button" id="asks">Is there rye bread?</button></p>
<p id="answer" role="status"></p>
<script>
  asks.addEventListener("click", () => { answer.textContent = "There are four loaves."; });
</script>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-message-time": {
    fails: [
      `<p><button type="button" id="asks">Is there rye bread?</button></p>
<p id="answer" role="status"></p>
<script>
  asks.addEventListener("click", () => {
    answer.textContent = "There are four loaves.";
    setTimeout(() => { answer.textContent = ""; }, 3000);
  });
</script>`,
      `<p><button type="button" id="asks">Count our loaves</button></p><div id="answer" role="status"></div><script>asks.onclick = () => { const said = document.createElement("p"); said.textContent = "Twelve"; answer.append(said); setTimeout(() => said.remove(), 2000); }</script>`,
    ],
    passes: `<p><button type="button" id="asks">Is there rye bread?</button></p>
<p id="answer" role="status"></p>
<script>
  asks.addEventListener("click", () => {
    answer.textContent = "There are four loaves.";
  });
</script>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-hover-content": {
    fails: [
      `<style>
  .tip { position: relative }
  .tip span { display: none; position: absolute; left: 0; top: 1.4em; width: 14em; background: #333; color: #fff }
  .tip:hover span, .tip:focus span { display: block }
</style>
<p>Rye <button type="button" class="tip" aria-describedby="more">Help<span id="more" role="tooltip">With seeds and honey, on three days of each week.</span></button></p>
<p>We bake our bread every morning, and deliver it by bicycle to everybody in the town.</p>`,
      `<p><button type="button" id="help" aria-describedby="more">Help</button> <span id="more" role="tooltip" style="display: none; position: absolute; margin-top: 60px; background: #333; color: #fff">With seeds and honey</span></p><p>${TEXT}</p><script>for (const [event, display] of [["mouseenter", "block"], ["focus", "block"], ["mouseleave", "none"], ["blur", "none"]]) help.addEventListener(event, () => { more.style.display = display; })</script>`,
    ],
    passes: `<style>
  .tip { position: relative }
  .tip span { display: none; position: absolute; left: 0; top: 1.4em; width: 14em; background: #333; color: #fff }
  .tip:hover span, .tip:focus span { display: block }
</style>
<p>Rye <button type="button" class="tip" aria-describedby="more">Help<span id="more" role="tooltip">With seeds and honey, on three days of each week.</span></button></p>
<p>We bake our bread every morning, and deliver it by bicycle to everybody in the town.</p>
<script>
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") more.style.display = "none";
  });
</script>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-keyboard-unreachable": {
    fails: [
      `<div style="cursor: pointer" onclick="this.hidden = true">Close</div>`,
      `${LINKS}<p><span role="button">Order</span></p>`,
    ],
    passes: `<div role="button" tabindex="0" style="cursor: pointer" onclick="this.hidden = true"
      onkeydown="if (event.key === 'Enter') this.hidden = true">Close</div>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-focus-hidden": {
    fails: [
      `<div style="height: 100px"></div><p><a href="/prices">Prices</a></p>
      <div style="position: fixed; inset: 0 0 auto; height: 300px; background: white">Our news</div>`,
      `<p style="height: 2000px">${TEXT}</p><p style="margin: 0"><a href="/shop">Shop</a></p><div style="height: 600px"></div>
      <p style="position: sticky; bottom: 0; height: 590px; margin: 0; background: white">We are on holiday.</p>`,
    ],
    passes: `<div style="position: fixed; inset: auto 0 0; height: 30px; background: white">Our news</div>${LINKS}`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-focus-context": {
    fails: [
      `<p><a href="#more" onfocus="location.href = '/elsewhere'">Prices</a></p>`,
      `<p><button onfocus="setTimeout(() => window.open('/help'), 20)">Help</button></p>`,
    ],
    passes: `<p><a href="/prices" onfocus="location.hash = 'prices'">Prices</a></p>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-input-context": {
    fails: [
      `<label>Bread <select onchange="location.href = this.value"><option value="/rye">Rye<option value="/oat">Oat</select></label>`,
      `<form action="/found"><label>Name <input name="n" oninput="this.form.submit()"></label></form>`,
    ],
    passes: `<form action="/found"><label>Bread <select><option>Rye<option>Oat</select></label> <label><input type="checkbox"> Cut</label>
      <button>Show</button></form>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-character-keys": {
    fails: [
      `<p id="said">${TEXT}</p><script>addEventListener("keydown", ({ key }) => { if (key === "n") said.textContent = "Next"; })</script>`,
      `<p>${TEXT}</p><script>document.onkeyup = ({ keyCode }) => { if (keyCode === 83) location.href = "/search"; }</script>`,
    ],
    passes: `<p id="said">${TEXT}</p><label>Name <input onkeydown="if (event.key === 'n') said.textContent = 'Next'"></label>
      <script>addEventListener("keydown", ({ key, ctrlKey }) => { if (ctrlKey && key === "n") said.textContent = "Next"; })</script>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-device-motion": {
    fails: [
      `<p id="said">${TEXT}</p><script>addEventListener("deviceorientation", ({ gamma }) => { said.textContent = gamma; })</script>`,
      `<p id="said">${TEXT}</p><script>ondevicemotion = ({ acceleration }) => { if (acceleration.x > 20) said.hidden = true; }</script>`,
    ],
    passes: `<p id="said">${TEXT}</p><script>addEventListener("orientationchange", () => { said.textContent = "Turned"; })</script>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-frame-name": {
    fails: [
      `<iframe title="Order" srcdoc="<p>Bread</p>"></iframe><iframe title="Order" srcdoc="<p>Cake</p>"></iframe>`,
      `<iframe aria-label="Map" srcdoc="<p>North</p>"></iframe><iframe title="map" srcdoc="<p>South</p>"></iframe>`,
    ],
    passes: `<iframe title="Order" srcdoc="<p>Bread</p>"></iframe><iframe title="Order" srcdoc="<p> Bread </p>"></iframe>
      <iframe title="Map" srcdoc="<p>North</p>"></iframe>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-zoom-clips-text": {
    fails: [
      `<div style="width: 55vw; overflow: hidden; white-space: nowrap">${TEXT}</div>`,
      `<div style="width: 30vw; height: 3em; line-height: 1.4; overflow: hidden">${TEXT}</div>`,
    ],
    passes: `<div style="width: 30vw; overflow: hidden">${TEXT}</div>`,
    other: `<div style="width: 20vw; height: 2em; overflow: hidden"><div style="width: 300px; height: 3em"></div></div>`,
  },
  "sv-reflow": {
    fails: [
      `<p style="width: 500px">${TEXT}</p>`,
      `<div style="display: flex; gap: 80px"><p>Bread</p><p>Delivery</p><p>Companies</p><p>Contact</p></div>`,
    ],
    passes: `<div style="overflow-x: auto" tabindex="0" role="region" aria-label="Plan"><p style="width: 500px">${TEXT}</p></div>`,
    other: "<p>Bread</p>",
  },
  "sv-moving-content": {
    fails: [
      `<style>@keyframes run { to { transform: rotate(1turn) } } .news { animation: run 8s linear infinite }</style>
      <div class="news">Bread of the day</div><p>${TEXT}</p>`,
      `<div id="news">Bread of the day</div><p>${TEXT}</p><script>
      news.animate({ opacity: [1, 0.2, 1] }, { duration: 1000, iterations: 20 })</script>`,
    ],
    passes: `<style>@keyframes run { to { transform: rotate(1turn) } } .news { animation: run 8s linear infinite }</style>
      <div class="news" id="news">Bread of the day</div><p>${TEXT}</p>
      <button onclick="news.style.animation = 'none'">Stop moving</button>`,
    other: `<style>@keyframes run { to { transform: rotate(1turn) } } .news { animation: run 1s }</style>
      <div class="news">Bread of the day</div><p>${TEXT}</p>`,
  },
  "sv-link-purpose": {
    fails: [
      `<p>${TEXT}</p><p><a href="/bread">Read more</a></p>`,
      `<p>Order <a href="/north">a loaf</a> or <a href="/south">a loaf</a> for tomorrow.</p>`,
    ],
    passes: `<p>${TEXT} <a href="/bread">Read more</a></p><p>Order <a href="/north">a loaf</a> or <a href="/south">a cake</a>.</p>
      <p>The letters of last year are <a href="/then">kept</a>, and the letters of this month <a href="/now">kept</a>, too.</p>
      <h2>North</h2><p><a href="/n">A loaf for tomorrow</a></p><h2>South</h2><p><a href="/s">A loaf for tomorrow</a></p>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-image-name": {
    fails: [`<img alt="Image" src="data:,">`, `<img alt="IMG_2044" src="/pictures/IMG_2044.jpg">`],
    passes: `<img alt="Logo of the bakery" src="data:,"><img alt="" src="data:,">`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-heading-name": {
    fails: [`<h2>Section 2</h2><p>${TEXT}</p>`, `<label>Field 1 <input name="street"></label>`],
    passes: `<h2>Delivery</h2><p>${TEXT}</p><label>Street <input name="street"></label>`,
    other: `<p>${TEXT}</p>`,
  },
  "sv-page-title": {
    fails: [`<!--title:Untitled document--><p>${TEXT}</p>`, `<!--title:Insert title here--><p>${TEXT}</p>`],
    passes: `<!--title:Bread of the day--><p>${TEXT}</p>`,
    other: `<!--title:--><p>${TEXT}</p>`,
  },
  "sv-page-language": {
    fails: [`<p>${GERMAN}</p>`, `<ul><li>${GERMAN.replaceAll(". ", ".<li>")}</ul>`],
    passes: `<p>${TEXT}</p><p lang="de">${GERMAN}</p>`,
    other: "<p>Bread</p>",
  },
  "sv-part-language": {
    fails: [`<p>${TEXT} ${TEXT}</p><p>${TEXT}</p><p>${GERMAN}</p>`, `<p>${TEXT}</p><p lang="fr">${GERMAN}</p>`],
    passes: `<p>${TEXT}</p><p lang="de">${GERMAN}</p>`,
    other: `<p>${TEXT}</p><blockquote lang="de">${GERMAN}</blockquote><pre>${GERMAN}</pre>`,
  },
  "sv-audio-control": {
    fails: [
      `<audio autoplay src="${tone(4)}"></audio><p>${TEXT}</p>`,
      `<audio id="song" loop src="${tone(0.5)}"></audio><p>${TEXT}</p><script>setTimeout(() => song.play(), 2000)</script>`,
    ],
    passes: `<audio autoplay id="song" src="${tone(4)}"></audio><p>${TEXT}</p><button onclick="song.pause()">Stop the sound</button>`,
    other: `<audio autoplay src="${tone(1)}"></audio><audio autoplay muted src="${tone(4)}"></audio><p>${TEXT}</p>`,
  },
  "sv-spacing-clips-text": {
    fails: [
      `<div style="width: 190px; height: 20px; line-height: 20px; overflow: hidden">Delivered by bicycle</div>`,
      `<div style="width: 300px; height: 3.2em; line-height: 1.2; overflow: hidden">${TEXT}</div>`,
    ],
    passes: `<div style="width: 300px; min-height: 3.2em; line-height: 1.2; overflow: hidden">${TEXT}</div>`,
    other: `<p>${TEXT}</p>`,
  },
};

/** @param body may begin with a comment that has another title */
export function actingPage(body: string): string {
  const title = /^<!--title:(.*?)-->/.exec(body)?.[1] ?? "Bakery";
  return `<!doctype html><html lang="en"><title>${title}</title><meta name="viewport" content="width=device-width">
    <main><h1>Bakery</h1>${body}</main></html>`;
}
