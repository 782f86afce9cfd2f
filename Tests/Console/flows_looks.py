"""How the pages look and are read: accessibility, narrow and wide windows, dark, Korean, right to left."""

import time

from selenium.webdriver.common.keys import Keys

from server import free_port

PAGES = ["articles", "due", "comments", "activity", "status", "keys", "users", "sources", "transfer", "account"]


def fill(server):
    """Something to look at on each page."""
    # Other flows leave plenty; this one may run alone.
    article = server.article(
        title="Sourdough at home", status="published", tags=["Bread", "Fermentation"],
        authors=[{"name": "Mina Kim"}], summary="Flour, water, salt, and a week of patience.",
        body="A **starter** is flour and water.\n\n## Feeding\n\n- Discard half.\n- Add flour.\n\n> Wait.\n\n"
             "| Day | Flour |\n|---|---|\n| 1 | 50 g |\n\n```\nhydration = 0.75\n```\n")
    for title, status in (("호밀빵의 시간", "published"), ("A note on salt", "draft"),
                          ("خبز الجاودار", "draft"), ("Old oven", "archived")):
        server.article(title=title, status=status)
    server.article(title="Winter menu", status="scheduled", publishedAt="2031-12-01T07:00:00.000Z")
    token = server.token("rita")
    server.call("POST", f"/v1/articles/{article['id']}/comments", {"body": f"What about rye? {time.time()}"}, token)
    server.call("PATCH", f"/v1/articles/{article['id']}", {"summary": "Flour, water and patience."})
    # Nobody listens at this port.
    server.call("POST", "/v1/sources", {"url": f"http://127.0.0.1:{free_port()}/feed.atom", "name": "오븐 소식"})
    server.call("POST", "/v1/sources", {"url": "https://feeds.example/bread.rss", "paused": True})
    return article["id"]


def prefer(browser, **preferences):
    browser.script("localStorage.setItem('broadsheet.preferences', JSON.stringify(arguments[0]))",
                   {"language": "en", "theme": "light", "direction": "ltr", **preferences})


def look(world, name, routes, width):
    browser = world.browser
    browser.resize(width, 800 if width > 400 else 640)
    for route, page in routes:
        # The former page is marked, so that it is not taken for the next one.
        browser.script("document.querySelector('main .place').dataset.former = ''")
        browser.go("#/nowhere")
        browser.go(route)
        browser.until(lambda: browser.script(
            "return document.querySelector('main .place:not([data-former]) h1') !== null"
            " && document.title.indexOf('nowhere') < 0", route), route)
        if "history" in route:
            browser.until(lambda: browser.script(
                "return document.querySelector('.difference h2') !== null"), "a difference")
        if page == "editor" and width > 1200:
            browser.until(lambda: "<table>" in browser.preview(), "the preview")
        browser.check_width(f"{page} ({name})")
        browser.check_accessibility(world.axe, f"{page} ({name})")
        if world.pictures:
            world.pictures.mkdir(exist_ok=True)
            browser.driver.save_screenshot(str(world.pictures / f"{page}-{name}.png"))


VARIANTS = [
    ("light-wide", {}, 1280), ("dark-wide", {"theme": "dark"}, 1280), ("light-narrow", {}, 320),
    ("korean", {"language": "ko"}, 768), ("dark-narrow-korean", {"theme": "dark", "language": "ko"}, 320),
    ("right-to-left", {"direction": "rtl"}, 768),
]


def looks(world, variants=VARIANTS):
    browser, server = world.browser, world.server
    article = fill(server)
    routes = [(f"#/{page}", page) for page in PAGES]
    routes += [(f"#/articles/{article}/history", "history"), (f"#/articles/{article}", "editor")]
    browser.open()
    browser.check_accessibility(world.axe, "sign-in")
    for name, preferences, width in variants:
        prefer(browser, **preferences)
        browser.driver.refresh()
        browser.until(lambda: browser.script("return document.querySelector('form input') !== null"), "the form")
        if name == "dark-narrow-korean":
            browser.resize(320, 640)
            browser.check_width("sign-in")
            browser.check_accessibility(world.axe, "sign-in (dark, Korean)")
        inputs = browser.script("return [...document.querySelectorAll('form input:enabled')]")
        inputs[0].send_keys("mina")
        inputs[1].send_keys("correct horse battery", Keys.ENTER)
        browser.until(lambda: browser.script("return document.querySelector('main .place h1')"), "a page")
        look(world, name, routes, width)


def looks_short(world):
    looks(world, [VARIANTS[0], VARIANTS[4]])


def dialogs(world):
    """What opens over a page is accessible, too."""
    browser, server = world.browser, world.server
    article = server.article(title="Dialogs", body="Text.")
    browser.sign_in("mina", f"#/articles/{article['id']}")
    browser.press("Details")
    browser.check_accessibility(world.axe, "the details")
    browser.press("More")
    browser.check_accessibility(world.axe, "the menu")
    browser.keys(Keys.ESCAPE)
    browser.press("Publish…")
    browser.press("At a time")
    browser.check_accessibility(world.axe, "the dialog of a publication")
    browser.press("Cancel")
    server.call("PATCH", f"/v1/articles/{article['id']}", {"title": "Theirs", "body": "Other text."})
    browser.type("Title", "Mine", replace=True)
    browser.has("Two versions")
    browser.check_accessibility(world.axe, "a conflict")
    browser.resize(320, 640)
    browser.check_width("a conflict")
    browser.check_accessibility(world.axe, "a conflict at 320 px")
    if world.pictures:
        browser.driver.save_screenshot(str(world.pictures / "conflict-narrow.png"))
        browser.resize(1280)
        browser.driver.save_screenshot(str(world.pictures / "conflict.png"))
    browser.press("Choose all of mine")
    browser.press("Save these choices")
    browser.has("Both versions are merged and saved.")
    browser.check_accessibility(world.axe, "a message")


FLOWS = [looks, dialogs]
