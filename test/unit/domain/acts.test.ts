import { expect } from "chai";
import fc from "fast-check";
import { commonParameters, familyOf, namesChange, signOf, signOfAttributes } from "../../../src/domain/acts/acts.ts";
import { writingSign } from "../../../src/domain/acts/can-write.ts";
import { countChanges, hasLostEntry, namesChanged } from "../../../src/domain/acts/changed.ts";
import { createActRule } from "../../../src/domain/acts/rule.ts";
import { createTokenMemory, randomParameters } from "../../../src/domain/acts/tokens.ts";
import { ambiguousVerbs, plainVerbs } from "../../../src/domain/acts/words.ts";
import { endsSession, isSignOutText } from "../../../src/domain/sign-in/sign-in-page.ts";

const O = "https://app.example.com";
const kindOf = (path: string, signedIn = true) => signOf(O + path, { signedIn })?.kind;

/** Addresses as systems have them, by what a request for them does while signed in; `page` only reads. */
const table: Record<"acts" | "form" | "maybe" | "page", string[]> = {
  acts: [
    // WordPress
    "/wp-admin/post.php?post=7&action=trash&_wpnonce=3f1e0a9b2c",
    "/wp-admin/post.php?post=7&action=trash",
    "/wp-admin/edit-tags.php?action=delete&taxonomy=post_tag&tag_ID=4&_wpnonce=3f1e0a9b2c",
    "/wp-admin/plugins.php?action=activate&plugin=hello.php&plugin_status=all&_wpnonce=3f1e0a9b2c",
    "/wp-admin/comment.php?c=1&action=approvecomment&_wpnonce=3f1e0a9b2c",
    "/wp-admin/comment.php?c=1&action=trashcomment",
    "/wp-admin/update.php?action=install-plugin&plugin=akismet",
    "/wp-admin/update-core.php?action=do-core-upgrade",
    "/shop/?add-to-cart=7",
    "/cart/?remove_item=8f14e45fceea167a",
    "/wp-admin/options-general.php?page=seo&activate=seo",
    // MediaWiki, DokuWiki
    "/w/index.php?title=Main_Page&action=delete",
    "/w/index.php?title=Main_Page&action=purge",
    "/w/index.php?title=Main_Page&action=rollback&from=X&token=0a1b",
    "/doku.php?id=start&do=revert&rev=1700000000&sectok=0a1b2c",
    "/doku.php?id=start&do=subscribe",
    // Django, Wagtail, Rails, Laravel, Symfony
    "/admin/auth/user/3/delete/",
    "/cms/pages/5/unpublish/",
    "/cms/pages/5/move/",
    "/cms/workflows/disable/3/",
    "/posts/7/delete",
    "/posts/my-first-post/delete",
    "/posts/delete/7",
    "/Posts/Delete/7",
    "/items/0b2c9a4e-7c1d-4b1f-9a55-2f1f4a1c9d11/archive",
    "/account/delete",
    "/user/7/impersonate",
    "/posts/7?_method=delete",
    "/posts/7?authenticity_token=Zm9vYmFy",
    "/deleteUser.php?id=7",
    "/delete.php?id=7",
    "/delete_post.php?post_id=7",
    "/index.php?option=com_content&task=article.unpublish&cid=3",
    "/index.php?op=deleteItem&item=3",
    // Shops, forums, polls
    "/cart/add",
    "/cart/add/7",
    "/basket/add_to_cart?sku=A1",
    "/poll/3/vote",
    ...["/lists/3/add/5", "/wishlists/3ly374/add/10/", "/wishlists/3ly374/lines/4/move-to/huvigm/"],
    ...["/addresses/2/default_for_billing/", "/users/5/make-admin", "/addresses/2/set-default"],
    "/viewforum.php?f=2&hash=1a2b3c4d&mark=topics",
    "/ucp.php?mode=delete_cookies",
    "/#/posts/7/delete",
    "/index.php?route=checkout/cart/add&product_id=7",
    "/index.php?r=post/delete&id=7",
    "/?q=node/7/delete",
    "/course/view.php?id=2&sesskey=Ab3dE5fG7h",
    "/index.php?route=/database/structure/drop-table&table_id=3",
    "/?page=admin/users/delete&id=7",
    "/?list=3&add_favorite=1",
    "/?add-to-list=3",
    "/?fn[delete]=3",
    "/index.php?action=deletemsg;topic=12.0;msg=34",
    "/index.php?action=markasread;sa=all",
    // What is marked, machines, operations, and what is used up
    ...["/mark-read/3", "/notifications/mark_all_read", "/messages/mark-all-as-read", "/inbox/markAllRead"],
    ...["/messages/mark-messages-as-seen", "/tasks/7/mark-done", "/?mark_all_read=1", "/inbox?do=markread"],
    ...["/cache/flush", "/cache/clear", "/cron/run", "/subscription/cancel", "/session/revoke", "/index/rebuild"],
    ...["/abonnement/annuler", "/messages/clear-all", "/posts/7/delete/confirm", "/Account/Delete", "/account/DELETE"],
    ...["/posts/7/delete.html", "/posts/7/delete.json", "//posts//7//delete/", "/posts/7/%64elete", "/posts/7/delete."],
    ...["/posts;jsessionid=1A/7/delete;jsessionid=1A", "/posts/7/DELETE"],
    ...["/unsubscribe/abc123", "/confirm/Zq83kdlPw02mXa", "/email/verify/Zq83kdlPw02mXa", "/invitations/accept/7"],
    ...["/verify-email/3/0b2c9a4e7c1d4b1f", "/confirm/eyJ0eXAiOiJKV1QiLCJhbGciOiJI.eyJzdWIiOiIxMjM0NTY3ODkwIn0.s1-g2"],
    ...["/?like=1", "/?vote=1", "/?vote=up", "/users?follow=12", "/posts?publish=3", "/poll/3/vote/2", "/posts/like/7"],
    ...[
      "/delete?file=a.txt",
      "/unsubscribe?email=a%40example.org",
      "/api/deletePost/7",
      "/posts/7?publish",
      "/posts/7/del",
    ],
    ...[
      "/posts%2F7%2Fdelete",
      "/?data[action]=delete",
      "/x?form[_token]=0a1b2c",
      "/posts/7/publish/now",
      "/login-as/7",
    ],
    ...["/?_switch_user=bob", "/notifications/clear", "/messages/read-all", "/newsletter/send/7", "/backup/run"],
    ...["/list?start=20&token=0a1b2c", "/list?move=7&token=0a1b2c"],
    // Other languages
    "/beitraege/7/löschen",
    "/beitraege/7/l%C3%B6schen",
    "/articles/7/supprimer",
    "/articulos/7/eliminar",
    "/artikelen/7/verwijderen",
    "/посты/7/удалить",
    "/記事/7/削除",
    "/index.php?aktion=x&action=löschen&id=3",
  ],
  form: [
    "/wp-admin/post.php?post=7&action=edit",
    "/wp-admin/post-new.php",
    "/w/index.php?title=Main_Page&action=edit",
    "/w/index.php?title=Main_Page&veaction=edit",
    "/doku.php?id=start&do=edit",
    "/posts/new",
    "/posts/7/edit",
    "/posts/edit/7",
    "/admin/auth/user/3/change/",
    "/admin/auth/user/add/",
    "/mail/compose",
    "/posting.php?mode=reply&t=7",
    "/beitraege/7/bearbeiten",
  ],
  maybe: [
    "/users/7/delete-account",
    "/users/bob/follow",
    "/posts/7/move-up",
    "/posts/7/togglePublish",
    "/export/remove_item?item_id=3",
  ],
  page: [
    ...["/", "/delete", "/docs/how-to-update", "/wiki/Install", "/wiki/Delete", "/watch/7", "/Delete"],
    ...[
      "/blog/archive",
      "/blog/archive/2024",
      "/news/2024/archive",
      "/docs/7/install",
      "/docs/install",
      "/tags/update",
    ],
    ...[
      "/docs/reference/delete",
      "/help/how-to-delete-an-account",
      "/delete-your-account-in-5-steps",
      "/doku.php/delete",
      "/?q=node/7",
      "/search?q=how/to-delete",
    ],
    ...[
      "/list?start=20",
      "/list?order=delete",
      "/search?q=delete",
      "/wp-admin/edit.php?post_status=trash&post_type=post",
    ],
    ...[
      "/wp-admin/edit.php?trashed=1&ids=7",
      "/wp-admin/edit-comments.php?comment_status=spam",
      "/items/7",
      "/items/7/history",
    ],
    ...[
      "/w/index.php?title=Special:Log&type=delete",
      "/w/index.php?title=X&action=history",
      "/w/index.php?title=X&action=raw",
    ],
    ...["/w/index.php?title=X&oldid=3&diff=prev", "/doku.php?id=start&do=revisions", "/doku.php?id=wiki:delete"],
    ...[
      "/admin/auth/user/?o=1.2",
      "/admin/auth/user/3/history/",
      "/cms/reports/locked/",
      "/user/repo/src/branch/main/update",
    ],
    ...[
      "/archive?page=2",
      "/python3/install",
      "/v2/install",
      "/movies/7/run-lola-run",
      "/start",
      "/users/7/followers",
      "/unlocked/7",
    ],
    // Verbs that are names of pages, and tokens beside what only shows
    ...["/password/reset", "/run/7", "/release/7", "/import/7", "/projects/3/run/7", "/import/0b2c9a4e7c1d4b1f"],
    ...[
      "/list?start=20",
      "/list?run=3",
      "/list?move=up",
      "/list?like=blue",
      "/list?vote=",
      "/x/restore/2024",
      "/list?submit=Apply",
      "/checkout?cancel_url=x",
    ],
    ...["/authors/mark-twain", "/marketing-done", "/confirm/your-address", "/policies/refund", "/docs/cache/flush"],
    ...[
      "/python/library/remove.html",
      "/c/memory/delete.html",
      "/verify/7",
      "/w/Delete",
      "/wiki.php/Special:Links/Delete",
      "/jobs/apply-now",
    ],
    ...["/doku.php?id=start&do=admin&page=acl&ns=a&sectok=0a1b2c", "/index.php?route=/sql", "/?page=wiki/Install"],
    ...["/index.php?id=7&view=updates", "/?page_id=7", "/products/7?variant=remove"],
  ],
};

describe("what addresses do while signed in", () => {
  for (const [kind, paths] of Object.entries(table))
    for (const path of paths)
      it(`${kind}: ${path}`, () => {
        expect(kindOf(path) ?? "page").to.equal(kind);
      });

  it("never acts signed out without a verb and a token", () => {
    for (const path of Object.values(table).flat()) {
      const hasBoth =
        /token|nonce|sectok|sesskey/.test(path) && !/^\/posts\/7\?auth|^\/course|form\[|do=admin/.test(path);
      expect(kindOf(path, false), path).to.equal(hasBoth ? "acts" : undefined);
    }
  });

  it("names the sign, and no value of a token", () => {
    expect(signOf(`${O}/post.php?post=7&action=trash&_wpnonce=3f1e0a9b2c`, { signedIn: true })?.text).to.equal(
      '"trash" as its action, with a token (_wpnonce)',
    );
    expect(signOf(`${O}/x?token=s3cret`, { signedIn: true })?.text).to.equal("a one-time token (token)");
  });

  it("takes what all links of a page carry for the id of a session", () => {
    const links = ["/a", "/b", "/c", "/d?x=1"].map((path) => `${O}${path}${path.includes("?") ? "&" : "?"}token=s1`);
    const common = new Set(commonParameters(links, O));
    expect([...common]).to.deep.equal(["token=s1"]);
    expect(signOf(`${O}/e?token=s1`, { signedIn: true, common })).to.equal(undefined);
    expect(signOf(`${O}/e?token=other`, { signedIn: true, common })?.kind).to.equal("acts");
    expect(commonParameters([...links, `${O}/f`], O)).to.deep.equal([]);
    expect(commonParameters(links.slice(0, 3), O)).to.deep.equal([]);
  });

  it("reads the attributes of links", () => {
    const acts = [
      { "data-method": "delete" },
      { "data-confirm": "Sure?" },
      { "hx-post": "/x" },
      { onclick: "return confirm('Sure?')" },
    ];
    for (const attributes of acts)
      expect(signOfAttributes(attributes)?.kind, JSON.stringify(attributes)).to.equal("acts");
    for (const attributes of [{}, { "data-method": "get" }, { "data-confirm": "" }, { onclick: "open('/x')" }])
      expect(signOfAttributes(attributes), JSON.stringify(attributes)).to.equal(undefined);
  });

  it("knows families of forms by their paths and parameters, whatever the object", () => {
    const same = [
      ["/posts/7/edit", "/posts/my-post/edit"],
      ["/wp-admin/post.php?post=7&action=edit", "/wp-admin/post.php?action=edit&post=8"],
      ["/wiki/start?do=edit", "/wiki/other?do=edit"],
    ];
    for (const [a, b] of same) expect(familyOf(O + a)).to.equal(familyOf(O + b));
    expect(familyOf(`${O}/post.php?post=7&action=edit`)).not.to.equal(familyOf(`${O}/post.php?post=7&action=history`));
    expect(familyOf(`${O}/?r=post/edit&id=1`)).not.to.equal(familyOf(`${O}/?r=user/edit&id=1`));
    expect(familyOf(`${O}/?route=/sql&db=a`)).not.to.equal(familyOf(`${O}/?route=/status&db=a`));
    expect(familyOf(`${O}/users?n=1`)).not.to.equal(familyOf(`${O}/posts?n=1`));
    expect(familyOf(`${O}/docs/a`)).not.to.equal(familyOf(`${O}/docs/b`));
  });

  it("takes every token of 20 hexadecimal digits or more for random, however few letters it has", () => {
    const hex = fc.array(fc.constantFrom(..."0123456789abcdef"), { minLength: 20, maxLength: 64 });
    fc.assert(
      fc.property(hex, fc.boolean(), (digits, isUpper) => {
        const value = isUpper ? digits.join("").toUpperCase() : digits.join("");
        expect(randomParameters(`${O}/x?v=${value}`), value).to.deep.equal(["v"]);
      }),
      { examples: [[[..."2068347531144437896028cf25355334"], false]] },
    );
    expect(randomParameters(`${O}/x?v=20683475-3114-4437-8960-28cf25355334`)).to.deep.equal(["v"]);
  });

  it("finds tokens that no name gives away by what differs between two reads", () => {
    const memory = createTokenMemory();
    const [first, again, id] = ["a8f3k2m9x1", "z7q4w1e8r5", "/item?ref=0b2c9a4e7c1d"];
    const links = (token: string) => [`${O}/x?id=1&h=${token}`, `${O}/x?id=2&h=${token}`, `${O}${id}`, `${O}/about`];
    const suspects = memory.takeSuspects(links(first));
    expect(suspects.map(({ names }) => names)).to.deep.equal([["h"], ["ref"]]);
    expect(memory.takeSuspects(links(first))).to.deep.equal([]);
    memory.learn(suspects, links(again));
    expect(memory.tokenOf(`${O}/x?id=3&h=${first}`)).to.equal("h");
    for (const path of [id, "/item?ref=9f9f9f9f9f9f", "/about"])
      expect(memory.tokenOf(O + path), path).to.equal(undefined);
    for (const value of ["2024-01-15T10:00:00", "my-first-post-2024", "12345678901234", "short1a2b"])
      expect(randomParameters(`${O}/x?v=${value}`), value).to.deep.equal([]);
  });

  it("says what in a page shows that its reader can write", () => {
    const form = (inner: string, method = "post") => `<main><form method=${method}>${inner}</form></main>`;
    const writes = [
      form("<textarea></textarea>"),
      form("<input name=a><select></select>"),
      "<main><div contenteditable></div>",
    ];
    for (const html of writes) expect(writingSign(html), html).to.be.a("string");
    const reads = [
      ...[
        form("<input><textarea>", "get"),
        form("<input name=u><input type=password><input>"),
        form("<input type=email>"),
      ],
      ...[form("<input type=hidden><input type=checkbox><button>Log out</button>"), "<p contenteditable=false>"],
      `<header>${form("<textarea></textarea>")}</header>`,
    ];
    for (const html of reads) expect(writingSign(html), html).to.equal(undefined);
  });

  it("is seen where a list has lost the entry of an address, and nothing else of it", () => {
    const list = (...ids: number[]) => ["/", "/help", ...ids.flatMap((id) => [`/t/${id}`, `/t/${id}/x9`])];
    expect(hasLostEntry("/t/3/x9", list(1, 2, 3), list(1, 2))).to.equal(true);
    // Two visits at the same time.
    expect(hasLostEntry("/t/3/x9", list(1, 2, 3, 4, 5), list(1, 5))).to.equal(true);
    expect(hasLostEntry("/t/3/x9", list(1, 2, 3), list(1, 2, 3))).to.equal(false);
    // It has the object, under another link; it was not on the list; the list shows others each time.
    expect(hasLostEntry("/t/3/x9", list(1, 2, 3), [...list(1, 2), "/t/3"])).to.equal(false);
    expect(hasLostEntry("/t/9/x9", list(1, 2, 3), list(1, 2))).to.equal(false);
    expect(hasLostEntry("/t/3/x9", list(1, 2, 3, 4, 5), list(6, 7, 8, 9))).to.equal(false);
    expect(hasLostEntry("/help", list(1, 2, 3), ["/"])).to.equal(false);
  });

  it("says whether a page that an action led to says so", () => {
    expect(namesChanged(`${O}/edit.php?trashed=1&ids=7`)).to.equal(true);
    expect(namesChanged(`${O}/list?page=2`)).to.equal(false);
    const told = ["<p>1 post moved to the Trash.", "<a href=/u>Undo</a>", "<p>Der Beitrag wurde gelöscht."];
    for (const html of [
      ...told,
      "<li>The user “bob” was deleted successfully.</li>",
      "<p>Page 'Home' unpublished.</p>",
    ])
      expect(countChanges(html), html).to.equal(1);
    const unread = ["<script>'has been deleted'</script>", "<template><a>Undo</a></template>", "<!-- has been deleted"];
    for (const html of [
      ...unread,
      '<p data-text="has been deleted">',
      "<p>How to undo a change",
      "<textarea>was deleted",
    ])
      expect(countChanges(html), html).to.equal(0);
    for (const hostile of ["<script", "<", "<!--", "> ", "was "])
      countChanges(hostile.repeat(300_000 / hostile.length));
  });

  it("knows names of buttons that change something", () => {
    for (const name of ["Delete", "Delete item", "Löschen", "Move to trash", "Supprimer l’article"])
      expect(namesChange(name), name).to.equal(true);
    for (const name of ["Menu", "More", "Show details", "Hide details", ""])
      expect(namesChange(name), name).to.equal(false);
  });

  it("recognises what ends a session", () => {
    const ends = ["/exit", "/session/destroy", "/wiki/Special:UserLogout", "/w/index.php?title=Special:UserLogout"];
    for (const path of [...ends, "/index.php?route=account/logout", "/wp-login.php?action=logout&_wpnonce=1"].concat([
      ...["/index.php?route=/logout", "/?r=site/logout", "/?q=user/logout", "/?page=logout", "/?a=logout"],
    ]))
      expect(endsSession(O + path), path).to.equal(true);
    for (const path of ["/docs/exit", "/wiki/Special:UserLogin"]) expect(endsSession(O + path), path).to.equal(false);
    for (const text of ["Log out", "Abmelden", "Se déconnecter", "ログアウト"])
      expect(isSignOutText(text), text).to.equal(true);
    expect(isSignOutText("How to log out")).to.equal(false);
  });
});

describe("what addresses do, whatever they are", () => {
  const verb = fc.constantFrom(...plainVerbs, ...ambiguousVerbs);
  const words = fc.array(fc.stringMatching(/^[a-z]{2,8}$/), { minLength: 1, maxLength: 4 });

  it("acts beside an id and as an action, in all languages", () => {
    fc.assert(
      fc.property(verb, fc.nat(), (one, id) => {
        for (const path of [
          `/things/${id}/${encodeURIComponent(one)}`,
          `/thing.php?id=${id}&action=${encodeURIComponent(one)}`,
        ])
          expect(kindOf(path), path).to.equal("acts");
      }),
    );
  });

  it("is a page where a verb is one of the words of a slug, or of a title", () => {
    fc.assert(
      fc.property(verb, words, (one, others) => {
        const slug = encodeURIComponent(["the", ...others, one, "guide"].join("-"));
        for (const path of [`/${slug}`, `/docs/${slug}`, `/docs/${one}`, `/blog/2024/${slug}`])
          expect(kindOf(path), path).to.equal(undefined);
      }),
    );
  });

  it("leaves nothing out signed out by a word alone", () => {
    fc.assert(
      fc.property(fc.webPath(), verb, (path, one) => {
        const address = `${O}${path}/${encodeURIComponent(one)}?action=${encodeURIComponent(one)}&id=7`;
        expect(signOf(address, { signedIn: false })).to.equal(undefined);
      }),
    );
  });

  it("judges every text without an error, and alike each time", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.tuple(fc.webPath(), fc.webQueryParameters()).map(([path, query]) => `${O}${path}?${query}`),
          fc.string(),
        ),
        (url) => {
          expect(signOf(url, { signedIn: true })).to.deep.equal(signOf(url, { signedIn: true }));
          expect(familyOf(url)).to.be.a("string");
        },
      ),
    );
  });
});

describe("the rule of a report", () => {
  const credentials = { host: "app.example.com", headers: [{ name: "Cookie", value: "a=1" }] };
  const rule = (settings = {}, given: typeof credentials | null = credentials) =>
    createActRule({ startingUrl: `${O}/`, ...settings }, { credentials: given ?? undefined });
  const sent = (method: string, path: string, of: "document" | "part" | "script" = "script") => ({
    ...{ method, of, authorized: false },
    url: new URL(path, O).href,
  });

  it("holds where the credentials go, and by verb and token elsewhere", () => {
    expect(rule().leavesOut(`${O}/posts/7/delete`)?.reason).to.equal("acts");
    for (const url of ["http://app.example.com/posts/7/delete", "https://other.example.com/posts/7/delete"])
      expect(rule().leavesOut(url), url).to.equal(undefined);
    expect(rule().leavesOut("https://other.example.com/posts/7/delete?token=1a2b")?.reason).to.equal("acts");
    expect(rule({}, null).leavesOut(`${O}/posts/7/delete`)).to.equal(undefined);
  });

  it("follows visit_actions and visit_forms", () => {
    expect(rule({ visitActions: true }).leavesOut(`${O}/posts/7/delete`)).to.equal(undefined);
    expect(rule().leavesOut(`${O}/posts/7/edit`)).to.equal(undefined);
    expect(rule({ visitForms: false }).leavesOut(`${O}/posts/7/edit`)?.reason).to.equal("forms");
  });

  it("stops what scripts send that may change something, but not for others than the session", () => {
    const may = (...request: Parameters<typeof sent>) => rule({ allowPosts: ["/graphql"] }).maySend(sent(...request));
    for (const request of [
      ["POST", "/api"],
      ["DELETE", "/api/7"],
      ["POST", "https://api.app.example.com/x"],
      ["GET", "/?action=delete&_wpnonce=1a2b3c"],
      ["GET", "/posts/7/delete", "document"],
      ["GET", "https://admin.app.example.com/posts/7/delete", "document"],
      ["GET", "/logout"],
      ["GET", "/logout", "part"],
    ])
      expect(may(...(request as Parameters<typeof sent>)), request.join(" ")).to.equal(false);
    for (const request of [
      ["POST", "/graphql"],
      ["POST", "https://statistics.example.org/collect"],
      ["GET", "/api?token=1a2b"],
      ["GET", "/posts/7/delete", "part"],
      ["OPTIONS", "/api"],
    ])
      expect(may(...(request as Parameters<typeof sent>)), request.join(" ")).to.equal(true);
    expect(rule().maySend({ ...sent("POST", "https://api.example.net/"), authorized: true })).to.equal(false);
    expect(rule({}, null).maySend(sent("POST", "/api"))).to.equal(true);
    expect(rule({ visitActions: true }).maySend(sent("POST", "/api"))).to.equal(true);
  });
});
