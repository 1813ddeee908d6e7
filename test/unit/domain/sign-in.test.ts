import { expect } from "chai";
import { readSigns } from "../../../src/domain/sign-in/page-signs.ts";
import { endsSession, isSignIn, leadsToSignIn, weighPage } from "../../../src/domain/sign-in/sign-in-page.ts";

const O = "https://app.example.com";

/** Pages as products and sites have them, and whether they are sign-ins in place of what was asked for. */
const rows: [name: string, expected: boolean, asked: string, reached: string, html: string][] = [
  [
    "WordPress login",
    true,
    `${O}/wp-admin/`,
    `${O}/wp-login.php?redirect_to=https%3A%2F%2Fapp.example.com%2Fwp-admin%2F&reauth=1`,
    `<title>Log In ‹ Blog — WordPress</title><body class="login login-action-login"><div id="login"><h1><a href="https://wordpress.org/">Powered by WordPress</a></h1><form name="loginform" id="loginform" action="/wp-login.php" method="post"><p><label>Username or Email Address</label><input type="text" name="log" id="user_login"></p><input type="password" name="pwd"><input name="rememberme" type="checkbox"><input type="submit" value="Log In"></form><p id="nav"><a href="/lost">Lost your password?</a></p></div>`,
  ],
  [
    "Devise",
    true,
    `${O}/`,
    `${O}/users/sign_in`,
    `<title>Acme</title><nav class="navbar"><a href="/">Acme</a><a href="/users/sign_up">Sign up</a></nav><h2>Log in</h2><form action="/users/sign_in"><input type="email" name="user[email]"><input type="password" name="user[password]"><input type="submit" value="Log in"></form>`,
  ],
  [
    "Keycloak",
    true,
    `${O}/`,
    `https://id.example.com/realms/acme/protocol/openid-connect/auth?client_id=app&redirect_uri=https%3A%2F%2Fapp.example.com%2F&response_type=code`,
    `<title>Sign in to acme</title><h1 id="kc-page-title">Sign in to your account</h1><form action="https://id.example.com/realms/acme/login-actions/authenticate"><input name="username"><input type="password" name="password"><input type="submit" value="Sign In"></form>`,
  ],
  [
    "ADFS",
    true,
    `${O}/x`,
    `https://sts.corp.example/adfs/ls/?wa=wsignin1.0&wtrealm=urn:x&wctx=1`,
    `<title>Anmelden</title><form><input name="UserName" type="email"><input type="password" name="Password"><span>Anmelden</span></form>`,
  ],
  [
    "Shibboleth",
    true,
    `${O}/x`,
    `https://idp.uni.example/idp/profile/SAML2/Redirect/SSO?execution=e1s1`,
    `<title>Uni Login</title><form><input name="j_username"><input type="password" name="j_password"><button>Login</button></form>`,
  ],
  [
    "Cloudflare Access",
    true,
    `${O}/x`,
    `https://acme.cloudflareaccess.com/cdn-cgi/access/login/app.example.com?kid=1&redirect_url=%2Fx`,
    `<title>Sign in ・ Cloudflare Access</title><h1>Get a login code emailed to you</h1><form><input type="email" name="email"><button>Send me a code</button></form>`,
  ],
  [
    "Django admin in place",
    true,
    `${O}/admin/books/`,
    `${O}/admin/books/`,
    `<title>Log in | Django site admin</title><div id="header"><h1>Django administration</h1></div><div id="content"><form action="/admin/books/" id="login-form"><input name="username"><input type="password" name="password"><input type="submit" value="Log in"></form></div>`,
  ],
  [
    "Grafana shell in place",
    true,
    `${O}/`,
    `${O}/`,
    `<title>Grafana</title><main><h1>Welcome to Grafana</h1><form><input name="user" placeholder="email or username"><input type="password" name="password"><button type="submit">Log in</button><a href="/user/password/send-reset-email">Forgot your password?</a></form></main><footer><ul><li><a href="https://grafana.com/docs">Documentation</a><a href="/s">Support</a><a href="/c">Community</a><a href="/o">Open Source</a></ul></footer>`,
  ],
  [
    "phpBB",
    true,
    `${O}/forum/viewforum.php?f=3`,
    `${O}/forum/viewforum.php?f=3`,
    `<title>Forum - Login</title><div id="page-header" class="headerbar"><a href="/">Forum</a><p>A short text</p></div><div id="page-body"><form action="./ucp.php?mode=login" method="post"><h2 class="login-title">The board requires you to be registered and logged in to view this forum.</h2><input name="username"><input type="password" name="password"><input type="submit" name="login" value="Login"></form></div>`,
  ],
  [
    "French extranet in place",
    true,
    `${O}/dossiers`,
    `${O}/dossiers`,
    `<title>Extranet</title><h1>Identification</h1><p>Connectez-vous pour continuer.</p><form><label>Identifiant</label><input name="identifiant"><input type="password" name="mdp"><button>Se connecter</button></form>`,
  ],
  [
    "ASP.NET one big form",
    true,
    `${O}/Default.aspx`,
    `${O}/Account/Login.aspx?ReturnUrl=%2fDefault.aspx`,
    `<title>My ASP.NET Application</title><form id="form1" action="./Login.aspx"><input type="hidden" name="__VIEWSTATE"><h2>Log in.</h2><input name="ctl00$Email" type="text"><input name="ctl00$Password" type="password"><input type="submit" value="Log in"></form>`,
  ],
  [
    "SPA shell static",
    true,
    `${O}/`,
    `${O}/auth/login`,
    `<title>App</title><div id="app"></div><script src="/a.js"></script>`,
  ],
  [
    "PIN/mobile two-step by phone",
    true,
    `${O}/`,
    `${O}/`,
    `<title>Sign in</title><h1>Sign in</h1><form><input type="tel" name="phone"><button>Continue</button></form>`,
  ],
  [
    "paywall article",
    false,
    `${O}/a`,
    `${O}/a`,
    `<title>Story</title><article><h1>Story</h1>${"<p>Lorem ipsum dolor sit amet consectetur.</p>".repeat(5)}</article><div class="paywall"><h2>Log in to read on</h2><form><input type="email" name="email"><input type="password" name="pw"><button>Log in</button></form></div>`,
  ],
  [
    "checkout with login box",
    false,
    `${O}/checkout`,
    `${O}/checkout`,
    `<title>Checkout</title><h1>Checkout</h1><form><input name="name"><input name="street"><input name="city"><input name="zip"><input type="email" name="email"><button>Pay</button></form><form><input name="user"><input type="password" name="p"><button>Log in</button></form>`,
  ],
  [
    "change password page",
    false,
    `${O}/settings/password`,
    `${O}/settings/password`,
    `<title>Change password</title><h1>Change password</h1><form><input type="password" name="old"><input type="password" name="n1"><input type="password" name="n2"><button>Save</button></form>`,
  ],
  [
    "wifi password tool",
    false,
    `${O}/qr`,
    `${O}/qr`,
    `<title>WiFi QR code</title><h1>WiFi QR code generator</h1><p>Type the name of your network and its password to get a code to print.</p><form><input name="ssid"><input type="password" name="key"><select name="enc"><option>WPA</option></select><button>Generate</button></form>`,
  ],
  [
    "redirect to locale with login box in aside",
    false,
    `${O}/`,
    `${O}/en/home`,
    `<title>Home</title><h1>Home</h1><aside><form action="/login"><input name="user"><input type="password" name="p"><button>Log in</button></form></aside><p>News</p>`,
  ],
  [
    "redirect to a blog post about login",
    false,
    `${O}/p/7`,
    `${O}/blog/better-login`,
    `<title>A better login</title><article><h1>A better login</h1><p>We made it.</p></article>`,
  ],
  [
    "cookie wall",
    false,
    `${O}/`,
    `${O}/consent?redirect=%2F`,
    `<title>Consent</title><h1>Your privacy</h1><form><button>Accept</button></form>`,
  ],
  [
    "age gate",
    false,
    `${O}/`,
    `${O}/`,
    `<title>Age</title><h1>Are you 18?</h1><form><input type="date" name="d"><button>Enter</button></form>`,
  ],
  [
    "donate to auth docs redirect",
    false,
    `${O}/docs/authentication`,
    `${O}/docs/v2/authentication`,
    `<title>Authentication</title><h1>Authentication</h1><p>Send the header Authorization with your token.</p>`,
  ],
  [
    "docs redirect to authentication",
    false,
    `${O}/docs/tokens`,
    `${O}/docs/v2/authentication`,
    `<title>Authentication</title><h1>Authentication</h1><p>Send the header Authorization with your token, and nothing else. It has an end.</p>`,
  ],
  [
    "german event enrolment short",
    false,
    `${O}/kurs/5`,
    `${O}/kurs/5/anmeldung`,
    `<title>Anmeldung zum Kurs</title><h1>Anmeldung</h1><form><input name="vorname"><input name="nachname"><input type="email" name="email"><button>Anmelden</button></form>`,
  ],
  [
    "newsletter Anmelden in place",
    false,
    `${O}/newsletter`,
    `${O}/newsletter`,
    `<title>Newsletter</title><h1>Newsletter</h1><form><input type="email" name="email"><button>Anmelden</button></form>`,
  ],
  [
    "contact 'Acceso' hotel page",
    false,
    `${O}/como-llegar`,
    `${O}/como-llegar`,
    `<title>Acceso</title><h1>Acceso</h1><p>En coche.</p>`,
  ],
];

describe("sign-ins by the signs of a page and its address", () => {
  for (const [name, expected, asked, reached, html] of rows)
    it(`${expected ? "recognise" : "are not"}: ${name}`, () => {
      const page = weighPage(readSigns(html));
      expect(isSignIn({ asked, reached, status: 200, page }, [], false), JSON.stringify(page)).to.equal(expected);
    });

  it("are not at an address that was asked for as one", () => {
    const page = weighPage(readSigns('<title>Log in</title><form><input name="user"><input type="password"></form>'));
    const at = (path: string) => isSignIn({ asked: O + path, reached: O + path, status: 200, page }, [], false);
    const paths = ["/login", "/de/Sign-In.aspx", "/old-login", "/my-account/", "/register", "/wiki/Spezial:Anmelden"];
    const parameters = [
      "/w?id=x&do=login&t=",
      "/index.php?title=Special:UserLogin&returnto=Main",
      "/?view=login",
      "/?login",
    ];
    const routes = ["/portal?page=auth", "/index.php?route=account/login"];
    expect([...paths, ...parameters, ...routes].filter(at)).to.deep.equal([]);
    const others = ["/", "/books", "/catalogue", "/help?topic=login", "/list?login=no", "/?path=a/b"];
    expect(others.filter(at)).to.deep.equal(others);
  });

  it("are not at a session that is new, and not at a view of scripts that says so", () => {
    const page = weighPage(readSigns('<title>Log in</title><form><input name="user"><input type="password"></form>'));
    const at = (path: string) => isSignIn({ asked: O + path, reached: O + path, status: 200, page }, [], false);
    const asked = ["/session/new", "/sessions/new", "/user_session/new", "/app#/login", "/app/#!/account/sign-in"];
    expect(asked.filter(at)).to.deep.equal([]);
    const others = ["/books/new", "/app#/books", "/?view=blogindex", "/?s=login", "/?login=ada"];
    expect(others.filter(at)).to.deep.equal(others);
  });

  it("are not where the start page has the same form", () => {
    const page = weighPage(readSigns('<title>Log in</title><form action="/in"><input type="password"></form>'));
    const visit = { asked: `${O}/a`, reached: `${O}/a`, status: 200, page };
    expect([isSignIn(visit, [], false), isSignIn(visit, ["/in"], false)]).to.deep.equal([true, false]);
  });

  it("are not expected because letters of words that stand beside each other happen to be log-in", () => {
    const page = weighPage(readSigns('<title>Log in</title><form><input name="user"><input type="password"></form>'));
    const at = (path: string) => isSignIn({ asked: O + path, reached: O + path, status: 200, page }, [], false);
    const others = ["/blog-index", "/catalog-intro/", "/design-online", "/dialog-in-depth", "/blog/index"];
    expect(others.filter(at)).to.deep.equal(others);
    const own = ["/a/log-in", "/userLogin.aspx", "/sign_up/now", "/LogIn", "/account/register.php"];
    expect(own.filter(at)).to.deep.equal([]);
  });

  it("are not consent, countries and the like on another host that only lead back", () => {
    const back = `return=${encodeURIComponent(`${O}/a`)}`;
    const places = [
      `https://consent.example/?${back}`,
      `https://id.example.com/?${back}`,
      `https://geo.example/x?${back}`,
    ];
    const consent = '<meta name="robots" content="noindex"><title>Consent</title><form><button>Accept</button></form>';
    for (const html of [consent, "", "<h1>Your privacy</h1>"])
      for (const reached of places) {
        const page = weighPage(readSigns(html));
        expect(isSignIn({ asked: `${O}/a`, reached, status: 200, page }, [], false), reached + html).to.equal(false);
        expect(leadsToSignIn(`${O}/a`, reached), reached).to.equal(false);
      }
    const page = weighPage(readSigns('<p>Welcome</p><form><input type="password"><button>OK</button></form>'));
    for (const reached of places)
      expect(isSignIn({ asked: `${O}/a`, reached, status: 200, page }, [], false), reached).to.equal(true);
    expect(leadsToSignIn(`${O}/a`, `https://sso.example/?${back}`)).to.equal(true);
  });

  it("are what a redirect to an address of one leads to", () => {
    expect(leadsToSignIn(`${O}/a`, `${O}/login`)).to.equal(true);
    expect(leadsToSignIn(`${O}/a`, `${O}/b?next=%2Fa`)).to.equal(false);
    expect(leadsToSignIn(`${O}/old-login`, `${O}/login`)).to.equal(false);
  });

  it("are read in time that grows with the page, whatever it has", () => {
    for (const hostile of [
      "<form><div class=nav>",
      "<input name=",
      "<h1><a href=x>",
      "<p>a ",
      "</main></form>",
      "<template>",
    ])
      expect(weighPage(readSigns(hostile.repeat(50_000))).weight).to.be.below(5);
  });
});

describe("the end of a session", () => {
  const ends = [
    ...[
      "/logout",
      "/users/sign_out",
      "/wp-login.php?action=logout&_wpnonce=1",
      "/index.php?logout",
      "/index.php?do=log-out&x=1",
    ],
    ...[
      "/Abmelden.aspx",
      "/oauth2/sign_out?rd=/",
      "/session/end",
      "/auth/invalidate",
      "/session/destroy",
      "/exit",
      "/account/Log-Out",
      "/user/signout.do;jsessionid=1",
    ],
    ...[
      "/#/logout",
      "/app#!/sign-out",
      "/saml/slo",
      "/sso/slo?x=1",
      "/%E3%83%AD%E3%82%B0%E3%82%A2%E3%82%A6%E3%83%88",
      "/d%C3%A9connexion",
    ],
  ];
  const others = [
    "/blog/logout-design",
    "/docs/session/end-to-end",
    "/sessions/7",
    "/help?topic=login",
    "/salir-a-comer",
    "/#logout",
    "/#/logout-design",
    "/#!http://[",
    ...[
      "/?lang=slo",
      "/slo",
      "/slo/",
      "/slo/novice",
      "/?slo=1",
      "/salir/madrid",
      "/logout/design",
      "/help?topic=logout",
    ],
  ];

  it("is what an address says, in many languages", () => {
    expect(ends.filter((path) => !endsSession(O + path))).to.deep.equal([]);
    expect(others.filter((path) => endsSession(O + path))).to.deep.equal([]);
  });
});
