"""What admins do: keys, users, sessions, sources, and receivers of webhooks."""

import http.server
import pathlib
import tempfile
import threading

from selenium.webdriver.common.keys import Keys

from browser import Browser
from server import PASSWORD, Server


def keys(world):
    browser, server = world.browser, world.server
    browser.sign_in("mina", "#/keys")
    browser.press("New key")
    browser.press("Create")
    browser.has("Name the program or person that will use it.")
    browser.type("Name", "Phone of Jun")
    browser.choose("Role", "Editor")
    browser.press("Create")
    browser.has("Copy it now")
    key = browser.value("Secret")
    assert server.call("GET", "/v1/articles?limit=1", token=key)["items"] is not None
    browser.press("I have kept it")
    browser.find("span", "Phone of Jun")
    assert key not in browser.script("return document.documentElement.outerHTML")
    browser.press("Revoke Phone of Jun")
    browser.press("Revoke")
    browser.has("is revoked.")
    assert server.call("GET", "/v1/articles?limit=1", token=key)["status"] == 401


def users(world):
    browser, server = world.browser, world.server
    browser.sign_in("mina", "#/users")
    browser.press("New user")
    browser.type("Name", "newcomer")
    browser.type("Password", "short")
    browser.press("Create")
    browser.has("8 characters")
    browser.type("Password", PASSWORD, replace=True)
    browser.press("Create")
    browser.find("span", "newcomer")
    browser.press("Edit newcomer")
    browser.choose("Role", "Editor")
    browser.press("Save")
    browser.has("Saved.")
    assert server.call("GET", "/v1/users?name=newcomer")["items"][0]["role"] == "editor"
    browser.press("Invite")
    browser.choose("Role", "Author")
    browser.press("Create")
    code = browser.value("Secret")
    invited = server.call("POST", "/v1/users", {
        "name": "invited", "password": PASSWORD, "invitation": code}, token=None)
    assert invited["role"] == "author", invited
    browser.press("I have kept it")
    browser.press("Edit newcomer")
    browser.press("Delete the account")
    browser.press("Delete the account")
    browser.has("The account of newcomer is deleted.")
    assert server.call("GET", "/v1/users?name=newcomer")["items"] == []


def sessions(world):
    browser, server = world.browser, world.server
    server.user("olga", "author")
    other = server.call("POST", "/v1/sessions", {
        "name": "olga", "password": PASSWORD, "device": "Old phone"})["accessToken"]
    browser.sign_in("olga", "#/account")
    browser.has("Old phone")
    browser.press("End")
    browser.lacks("Old phone")
    assert server.call("GET", "/v1/me", token=other)["status"] == 401
    browser.type("Current password", "not this one")
    browser.type("New password", "a better horse")
    browser.press("Change password")
    browser.until(lambda: browser.script(
        "return document.querySelector('[aria-invalid]') !== null"), "a wrong password that is said")
    browser.type("Current password", PASSWORD, replace=True)
    browser.press("Change password")
    browser.has("The password is changed.")
    # Authors do not see what they may not use.
    assert "Keys" not in browser.text()


def sessions_of_others(world):
    browser, server = world.browser, world.server
    person = server.user("otto", "author")
    token = server.call("POST", "/v1/sessions", {
        "name": "otto", "password": PASSWORD, "device": "Lost phone"})["accessToken"]
    browser.sign_in("mina", "#/users?name=otto")
    browser.press("Sessions of otto")
    browser.has("Lost phone")
    browser.press("End the session of Lost phone")
    browser.has("Signed in nowhere.")
    assert server.call("GET", "/v1/me", token=token)["status"] == 401
    assert server.call("GET", f"/v1/users/{person['id']}/sessions")["items"] == []
    assert browser.script("return document.activeElement.textContent") == "Close"
    browser.press("Close")
    browser.until(lambda: browser.script("return document.activeElement.getAttribute('aria-label')")
                  == "Sessions of otto", "the focus where it was")


FEED = '''<rss version="2.0"><channel><title>Oven news</title><link>https://oven.example/</link>
<description>.</description><item><title>Warm bread</title><guid>1</guid>
<link>https://oven.example/1</link><description>Just baked.</description></item></channel></rss>'''


class Feed(http.server.BaseHTTPRequestHandler):
    is_broken = False

    def do_GET(self):
        body = FEED.encode()
        self.send_response(500 if Feed.is_broken else 200)
        self.send_header("Content-Type", "application/rss+xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def sources(world):
    browser, server = world.browser, world.server
    feed = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Feed)
    threading.Thread(target=feed.serve_forever, daemon=True).start()
    try:
        browser.sign_in("mina", "#/sources")
        browser.press("New source")
        browser.press("Create")
        browser.has("Enter the address")
        browser.type("Address", "gopher://old.example/")
        browser.press("Create")
        browser.until(lambda: browser.script(
            "return document.querySelector('dialog [aria-invalid]') !== null"), "a fault at the address")
        browser.type("Address", f"http://127.0.0.1:{feed.server_port}/feed.rss", replace=True)
        browser.type("Tags", "News").send_keys(Keys.ENTER)
        browser.press("Publish its articles")
        browser.press("Create")
        browser.has("Oven news")
        browser.has("Followed")
        browser.has("1 article")
        found = server.until(lambda: server.call("GET", "/v1/articles?tag=News")["items"], "an article")
        assert [(each["title"], each["status"]) for each in found] == [("Warm bread", "published")], found

        Feed.is_broken = True
        browser.press("Look at Oven news now")
        browser.has("Failed once:")
        browser.has("Failing")
        # The button keeps the focus, although its row was written anew.
        assert browser.script("return document.activeElement.getAttribute('aria-label')") == (
            "Look at Oven news now")
        Feed.is_broken = False
        browser.press("Look at Oven news now")
        browser.lacks("Failed once:")

        browser.press("Edit Oven news")
        browser.check_accessibility(world.axe, "the form of a source")
        browser.type("Name", "The oven", replace=True)
        browser.choose("Looked at", "Every hour")
        browser.press("Paused")
        browser.press("Save")
        browser.find("span", "The oven")
        browser.has("Paused")
        source = server.call("GET", "/v1/sources")["items"][0]
        wanted = {"name": "The oven", "paused": True, "intervalSeconds": 3600, "tags": ["News"], "publish": True}
        assert {name: source[name] for name in wanted} == wanted, source
        browser.press("Edit The oven")
        browser.press("Remove the source")
        browser.press("Remove the source")
        browser.has("There are no sources yet.")
        assert server.call("GET", "/v1/articles?tag=News")["items"], "the articles stay"
    finally:
        feed.shutdown()


class Receiver(Feed):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(500 if Receiver.is_broken else 204)
        self.send_header("Content-Length", "0")
        self.end_headers()


def webhooks(world):
    """How far a receiver is behind."""
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        secret = pathlib.Path(folder) / "secret"
        secret.write_text("s" * 40)
        server = Server(world.server.broadsheet, folder, options=[
            "--webhook", f"http://127.0.0.1:{receiver.server_port}/hook?key=hidden",
            "--webhook-secret-file", str(secret)])
        server.start()
        browser = Browser(server.url)
        try:
            server.user("wilma", "admin")
            browser.sign_in("wilma", "#/status")
            browser.has("has everything")
            Receiver.is_broken = True
            for number in range(3):
                server.article(title=f"News {number}", status="published")
            browser.has("3 changes behind")
            browser.has("Failing")
            assert "hidden" not in browser.text()
            Receiver.is_broken = False
            browser.has("has everything")
            browser.check_log()
        finally:
            browser.close()
            server.kill()
            receiver.shutdown()


FLOWS = [keys, users, sessions, sessions_of_others, sources, webhooks]
