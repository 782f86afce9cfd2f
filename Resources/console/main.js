// The page: who is signed in, where one is, and the frame around it.

import { currentSession, loadSession, onConnection, signIn, signOut, whenExpired } from "./api.js";
import { explained, fill, forgetMessages, h, icon, iconButton, sayError } from "./dom.js";
import { here, may } from "./here.js";
import { t } from "./i18n.js";
import { forgetKnown } from "./known.js";
import { startLive, stopLive } from "./live.js";
import { applyPreferences, askPreferences } from "./preferences.js";
import { isArticleKey, parseRoute } from "./routes.js";
import { askToSignIn, signInForm } from "./sign-in.js";

/**
 * @typedef {import("./here.js").View} View
 * @typedef {{ path: string, label: string, icon: string, role?: "editor" | "admin" }} Place
 */

/** @type {Place[]} */
const PLACES = [
    { path: "articles", label: "nav.articles", icon: "articles" },
    { path: "due", label: "nav.due", icon: "due" },
    { path: "comments", label: "nav.comments", icon: "comments", role: "editor" },
    { path: "activity", label: "nav.activity", icon: "activity" },
    { path: "status", label: "nav.status", icon: "status", role: "admin" },
    { path: "keys", label: "nav.keys", icon: "keys", role: "admin" },
    { path: "users", label: "nav.users", icon: "users", role: "admin" },
    { path: "sources", label: "nav.sources", icon: "sources", role: "admin" },
    { path: "transfer", label: "nav.transfer", icon: "transfer", role: "admin" },
    { path: "account", label: "nav.account", icon: "account" },
];
const app = /** @type {HTMLElement} */ (document.getElementById("app"));
const main = h("main", { id: "main", tabindex: "-1" });
const offline = h("p", { class: "offline", role: "status" });
/** @type {View | undefined} */
let view;
let turn = 0;
/** Set while the person is asked whether to leave. */
let isAsking = false;

// ---- Signing in ----

async function start() {
    applyPreferences();
    const token = /^#token=([\w.~-]+)$/.exec(location.hash)?.[1];
    if (token) history.replaceState(null, "", location.pathname);
    whenExpired(() => askToSignIn(() => void end(), () => {
        forget();
        enter();
    }));
    try {
        if (token) await signIn({ token });
        else await loadSession();
    } catch (error) {
        return showSignIn(explained(error));
    }
    if (currentSession().kind === "anonymous") return showSignIn("");
    enter();
}

/** @param {string} fault */
function showSignIn(fault) {
    document.title = "Broadsheet";
    const form = signInForm(enter, fault);
    fill(app, h("div", { class: "front" },
        h("div", { class: "front-tools" }, preferencesButton()), form.element));
    form.focus();
}

function enter() {
    if (!may("author")) {
        fill(app, h("main", { class: "front" }, h("h1", {}, t("noWriter.title")),
            h("p", {}, t("noWriter.text")), signOutButton()));
        return;
    }
    showFrame();
    startLive();
    void fetchModules();
    here.hash = null;
    void show();
}

async function leave() {
    if (view?.mayLeave && !await view.mayLeave()) return;
    await end();
}

/** Ends the session. What is not saved stays on this device. */
async function end() {
    await signOut().catch(() => undefined);
    forget();
    location.hash = "";
    showSignIn("");
}

/** Nothing that one person saw stays for the next. */
function forget() {
    view?.close?.();
    view = undefined;
    stopLive();
    forgetKnown();
    forgetMessages();
}

// ---- The frame ----

const signOutButton = () =>
    h("button", { type: "button", class: "plain", onclick: () => void leave() }, t("signOut"));

const preferencesButton = () => iconButton(t("preferences"), "settings", async () => {
    if (await askPreferences()) relabel();
});

/** After another language was chosen. Text that is being edited is kept, and the page is shown anew. */
async function relabel() {
    if (currentSession().kind === "anonymous") return showSignIn("");
    if (view?.mayLeave && !await view.mayLeave()) return;
    view?.close?.();
    view = undefined;
    showFrame();
    here.hash = null;
    await show();
}

function showFrame() {
    const { user, name } = currentSession();
    const list = h("ul", { id: "places" }, PLACES.filter(place => may(place.role ?? "author"))
        .map(place => h("li", {}, h("a", { href: `#/${place.path}` }, icon(place.icon), t(place.label)))));
    const toggle = iconButton(t("menu"), "menu", () => {
        const isOpen = nav.classList.toggle("open");
        toggle.setAttribute("aria-expanded", String(isOpen));
    }, { class: "icon-button nav-toggle", "aria-expanded": "false", "aria-controls": "places" });
    const nav = h("nav", { class: "nav", "aria-label": t("nav.label") },
        h("div", { class: "nav-head" },
            h("a", { class: "brand", href: "#/articles" }, "Broadsheet"), toggle),
        list,
        h("div", { class: "nav-foot" },
            h("span", { class: "who", dir: "auto" }, user?.displayName ?? name ?? ""),
            h("span", { class: "nav-tools" }, preferencesButton(), signOutButton())));
    nav.addEventListener("click", event => {
        if (!(/** @type {Element} */ (event.target).closest("a"))) return;
        nav.classList.remove("open");
        toggle.setAttribute("aria-expanded", "false");
    });
    fill(app,
        h("button", { type: "button", class: "skip", onclick: () => main.focus() }, t("skip")),
        h("div", { class: "frame" }, nav, h("div", { class: "column" }, offline, main)));
}

onConnection(isOnline => { offline.textContent = isOnline ? "" : t("offline"); });

// ---- Places ----

/** All of the page, so that one can go on in it when the server is away. */
async function fetchModules() {
    await Promise.all([
        import("./editor.js"), import("./revisions.js"), import("./due.js"), import("./comments.js"),
        import("./activity.js"), import("./status.js"), import("./keys.js"), import("./users.js"),
        import("./transfer.js"), import("./account.js"), import("./sources.js"),
    ]).catch(() => undefined);
}

/**
 * @param {HTMLElement} place
 * @param {import("./routes.js").Route} route
 * @returns {Promise<View | void>}
 */
async function open(place, route) {
    const [first = "articles", second, third] = route.path;
    const isArticle = first === "articles" && second !== undefined;
    // Addresses come from anywhere, and what is in them becomes the path of requests.
    if (isArticle && !isArticleKey(second)) return showNothing(place);
    if (isArticle && third === "history") {
        return await (await import("./revisions.js")).showRevisions(place, second, route);
    }
    if (isArticle) {
        const isNew = second === "new" || second.startsWith("new-");
        if (second === "new") history.replaceState(null, "", `#/articles/new-${crypto.randomUUID()}`);
        const id = second === "new" ? parseRoute(location.hash).path[1] : second;
        return await (await import("./editor.js")).showEditor(place, id, isNew);
    }
    const allowed = PLACES.find(each => each.path === first);
    if (!allowed || !may(allowed.role ?? "author")) return showNothing(place);
    switch (first) {
        case "due": return await (await import("./due.js")).showDue(place);
        case "comments": return await (await import("./comments.js")).showComments(place, route);
        case "activity": return (await import("./activity.js")).showActivity(place);
        case "status": return await (await import("./status.js")).showStatus(place);
        case "keys": return await (await import("./keys.js")).showKeys(place);
        case "users": return await (await import("./users.js")).showUsers(place, route);
        case "sources": return await (await import("./sources.js")).showSources(place);
        case "transfer": return await (await import("./transfer.js")).showTransfer(place);
        case "account": return await (await import("./account.js")).showAccount(place);
        default: return await (await import("./list.js")).showList(place, route);
    }
}

/** @param {HTMLElement} place */
function showNothing(place) {
    fill(place, h("h1", {}, t("notFound.title")), h("p", {}, t("notFound.text")));
}

async function show() {
    if (isAsking || currentSession().kind === "anonymous") return;
    const hash = location.hash;
    const route = parseRoute(hash);
    if (hash === here.hash) return;
    if (view?.mayLeave) {
        isAsking = true;
        const isLeft = await view.mayLeave().finally(() => { isAsking = false; });
        if (!isLeft) return void history.replaceState(null, "", here.hash || "#/articles");
    }
    view?.close?.();
    view = undefined;
    const mine = ++turn;
    for (const link of document.querySelectorAll(".nav a")) {
        const isHere = link.getAttribute("href") === `#/${route.path[0] ?? "articles"}`
            && !link.classList.contains("brand");
        if (isHere) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
    }
    main.className = route.path[0] === "articles" && route.path[1] && route.path[2] !== "history"
        ? "editor" : "page";
    const place = h("div", { class: "place" });
    fill(main, h("p", { class: "loading", role: "status" }, t("loading")));
    document.title = `${t(`nav.${route.path[0] ?? "articles"}`)} – Broadsheet`;
    try {
        here.hash = hash;
        const opened = await open(place, route);
        if (mine !== turn) return void opened?.close?.();
        view = opened ?? undefined;
        fill(main, place);
        view?.shown?.();
        if (route.path[1]?.startsWith("new")) here.hash = location.hash;
        const wanted = /** @type {HTMLElement | null} */ (place.querySelector("[data-focus]"));
        (wanted ?? main).focus({ preventScroll: true });
        scrollTo(0, 0);
    } catch (error) {
        if (mine !== turn) return;
        fill(main, h("div", { class: "place" }, h("h1", {}, t("failed.title")),
            h("p", {}, explained(error)),
            h("button", { type: "button", onclick: () => { here.hash = null; void show(); } }, t("again"))));
        sayError(error);
    }
}

addEventListener("hashchange", () => void show());
addEventListener("keydown", event => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.closest("input, textarea, select, dialog")) return;
    const search = document.getElementById("search");
    if (!search) return;
    event.preventDefault();
    search.focus();
});

void start();
