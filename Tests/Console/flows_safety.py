"""Hostile texts and hostile pages: nothing that somebody writes runs, and other pages get nowhere."""

import http.server
import tempfile
import threading

from browser import Browser
from server import PASSWORD, Server

# Runs if a text is ever taken for HTML, or an address for a script.
RUN = "window.pwned=1"
HOSTILE = f"<img src=x onerror='{RUN}'><svg onload='{RUN}'>\"'`${{{RUN}}}</textarea></script><script>{RUN}</script>"
BODY = f"""{HOSTILE}

<script>{RUN}</script>

<iframe srcdoc="<script>parent.{RUN}</script>"></iframe>

A <a href="javascript:{RUN}">link</a>, [another](javascript:{RUN}), [a third](<data:text/html,<script>{RUN}</script>>).

![picture](javascript:{RUN}) <style>* {{ display: none }}</style> <form action=//evil.example><button>x</button></form>
"""


def hostile_texts(world):
    browser, server = world.browser, world.server
    # Without line breaks, and short enough for each place.
    name = HOSTILE[:90]
    article = server.article(
        title=HOSTILE, summary=HOSTILE, body=BODY, status="published", tags=[HOSTILE[:40]],
        authors=[{"name": name}])
    assert "id" in article, article
    changed = server.call("PATCH", f"/v1/articles/{article['id']}", {"body": BODY + HOSTILE})
    assert changed["revision"] == 2, changed
    gone = server.article(title=HOSTILE)
    server.call("DELETE", f"/v1/articles/{gone['id']}")
    server.call("POST", "/v1/users", {
        "name": "mallory", "password": PASSWORD, "role": "author", "displayName": name})
    token = server.call("POST", "/v1/sessions", {
        "name": "mallory", "password": PASSWORD, "device": name})["accessToken"]
    server.call("POST", f"/v1/articles/{article['id']}/comments", {"body": HOSTILE}, token)
    server.call("POST", "/v1/sources", {"url": "https://feeds.example/?" + "%3Cimg%3E'", "name": name,
                                        "paused": True})

    browser.sign_in("mina", f"#/articles/{article['id']}")
    browser.until(lambda: "a third" in browser.preview(), "the preview")
    rendered = browser.preview().lower()
    for piece in ("<script", "<iframe", "<style", "<form", "<svg", "javascript:"):
        assert piece not in rendered, (piece, rendered)
    # Every link of the rendered text is one that may be followed, or none.
    addresses = browser.script("""
        return [...document.querySelector(".rendered").shadowRoot.querySelectorAll("a, img")]
            .map(each => each.getAttribute("href") ?? each.getAttribute("src") ?? "");""")
    assert all(not each or each.startswith(("http", "/", "#")) for each in addresses), addresses
    routes = [f"#/articles/{article['id']}/history", "#/articles", "#/articles?status=deleted", "#/due",
              "#/comments", "#/activity", "#/status", "#/keys", "#/users", "#/sources", "#/transfer",
              "#/account", f"#/articles?q={HOSTILE[:20]}", f"#/{HOSTILE[:30]}"]
    for route in routes:
        browser.script("document.querySelector('main .place').dataset.former = ''")
        browser.go(route)
        browser.until(lambda: browser.script(
            "return document.querySelector('main .place:not([data-former]) h1') !== null"), route)
    # An address cannot choose which path the page sends requests to.
    for route in ("#/articles/..%2fusers%2fx", "#/articles/..%2fusers%2fx/history"):
        browser.go(route)
        browser.has("This page does not exist")
    paths = browser.script("return performance.getEntriesByType('resource').map(each => each.name)")
    assert not any("/users/x" in path for path in paths), paths
    browser.go("#/users")
    browser.press(f"Sessions of {name}")
    browser.has("<img src=x")
    browser.press("Close")
    server.article(title=HOSTILE, status="published")
    browser.go("#/activity")
    browser.has("<img src=x")
    assert browser.script("return window.pwned") is None
    browser.go("#/articles")
    browser.find("h1", "Articles")
    # A link to the console with a made-up token signs nobody in.
    browser.open("?x#token=" + "A" * 43)
    browser.has("The link has been used, has expired")
    assert browser.script("return location.hash") == ""


def over_tls(world):
    """The session is in a cookie that neither scripts nor other pages can use."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = Server(world.server.broadsheet, folder, tls=True)
        server.start()
        browser = Browser(server.url)
        try:
            server.user("tess", "editor")
            cookie(browser, server)
            other_pages(browser, server)
            browser.check_log()
        finally:
            browser.close()
            server.kill()


def cookie(browser, server):
    browser.sign_in("tess")
    browser.find("h1", "Articles")
    cookies = browser.driver.get_cookies()
    assert [(each["name"], each["secure"], each["httpOnly"], each["sameSite"], each["path"])
            for each in cookies] == [("__Host-broadsheet", True, True, "Strict", "/")], cookies
    assert browser.script("return document.cookie") == ""
    # It survives a reload, unlike a token in memory, and writes.
    browser.driver.refresh()
    browser.press("New article")
    browser.type("Title", "By cookie")
    browser.state("Saved at")
    assert server.call("GET", "/v1/articles?status=draft")["items"][0]["title"] == "By cookie"
    stored = browser.script("return JSON.stringify({ ...localStorage, ...sessionStorage })")
    assert "bs" not in stored.replace("broadsheet", ""), stored
    # Whoever types the address of the API into the browser is nobody.
    browser.driver.get(server.url + "/v1/me")
    browser.has("unauthenticated")


class Page(http.server.BaseHTTPRequestHandler):
    """Another origin of the same site."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Other</title><p>Other page</p>")

    def log_message(self, *arguments):
        pass


def other_pages(browser, server):
    page = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=page.serve_forever, daemon=True).start()
    try:
        browser.driver.get(f"http://127.0.0.1:{page.server_port}/")
        browser.has("Other page")
        outcome = browser.driver.execute_async_script("""
            const [url, done] = arguments;
            const options = { method: "POST", mode: "no-cors", credentials: "include" };
            Promise.allSettled([
                fetch(url + "/v1/articles", { ...options, body: '{"title":"Forged"}' }),
                fetch(url + "/console/session", { ...options, body: '{"renew":true}' }),
                fetch(url + "/v1/articles", { credentials: "include" }).then(each => each.text()),
            ]).then(all => done(all.map(each => each.status)));""", server.url)
        # What is read across origins has no permission to be, and what is sent opaquely is rejected.
        assert outcome[2] == "rejected", outcome
        browser.script("""
            const [url] = arguments;
            const form = document.createElement("form");
            Object.assign(form, { method: "POST", action: url + "/v1/articles", enctype: "text/plain" });
            const input = document.createElement("input");
            Object.assign(input, { name: '{"title":"Forged","x":"', value: '"}' });
            form.append(input);
            document.body.append(form);
            form.submit();""", server.url)
        browser.has("unauthenticated")
        titles = [each["title"] for each in server.call("GET", "/v1/articles?limit=100")["items"]]
        assert "Forged" not in titles, titles
        # Nobody may frame the page.
        browser.driver.get(f"http://127.0.0.1:{page.server_port}/")
        browser.script("""
            const frame = document.createElement("iframe");
            frame.src = arguments[0] + "/console";
            document.body.append(frame);""", server.url)
        browser.until(lambda: any("frame-ancestors" in line for line in browser.log()), "a frame that is refused")
        # The session goes on, and ends when its person says so.
        browser.open()
        browser.press("Sign out")
        browser.find("input", "Name")
        assert browser.driver.get_cookies() == []
    finally:
        page.shutdown()


FLOWS = [hostile_texts, over_tls]
