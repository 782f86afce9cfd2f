"""Seeing and operating: histories, what was deleted, comments, changes as they happen, backups, imports."""

import subprocess


def history(world):
    browser, server = world.browser, world.server
    article = server.article(title="History", body="Rye bread takes time.")
    server.call("PATCH", f"/v1/articles/{article['id']}", {"body": "Wheat bread takes time."})
    browser.sign_in("mina", f"#/articles/{article['id']}/history")
    browser.has("What revision 2 changed")
    pieces = browser.script("""
        return [...document.querySelectorAll(".difference del, .difference ins")]
            .map(each => [each.localName, each.textContent]);""")
    assert pieces == [["del", "Rye"], ["ins", "Wheat"]], pieces
    browser.press("Revision 1")
    browser.has("What revision 1 changed")
    browser.press("Restore this revision")
    browser.press("Restore this revision")
    browser.has("Revision 1 is current again.")
    assert server.fetch(article["id"])["body"] == "Rye bread takes time."


def deleting(world):
    browser, server = world.browser, world.server
    article = server.article(title="Gone tomorrow", status="published")
    browser.sign_in("mina", f"#/articles/{article['id']}")
    browser.press("More")
    browser.press("Delete")
    browser.press("Delete")
    browser.find("h1", "Articles")
    assert server.fetch(article["id"])["status"] == 404
    browser.choose("Status", "Deleted")
    browser.press("Gone tomorrow")
    browser.has("This article is deleted.")
    browser.press("Restore the article")
    browser.has("is current again.")
    browser.until(lambda: browser.value("Title") == "Gone tomorrow", "the restored article")
    assert server.fetch(article["id"])["status"] == "published"


def restoring(world):
    """What somebody else deleted, also before this browser was there."""
    browser, server = world.browser, world.server
    server.user("paul", "author")
    token = server.token("paul")
    own = server.call("POST", "/v1/articles", {"title": "Paul's own"}, token)
    public = server.article(title="Was public", status="published")
    many = [server.article(title=f"Deleted {number}") for number in range(105)]
    for article in (*many, public, own):
        server.call("DELETE", f"/v1/articles/{article['id']}")
    browser.sign_in("mina", "#/articles?status=deleted")
    browser.has("by operator")
    rows = "return document.querySelectorAll('.rows .row').length"
    browser.until(lambda: browser.script(rows) == 100, "the first page")
    browser.script("window.scrollTo(0, document.body.scrollHeight)")
    browser.until(lambda: browser.script(rows) >= 107, "the rest")

    browser.script("window.scrollTo(0, 0)")
    browser.press("Restore Was public")
    browser.has("becomes public again")
    assert server.fetch(public["id"])["status"] == 404
    browser.press("Restore")
    browser.has("“Was public” is restored.")
    assert server.fetch(public["id"])["status"] == "published"
    browser.until(lambda: "Was public" not in browser.script(
        "return document.querySelector('.pages').innerText"), "a row less")
    focused = browser.script("return document.activeElement.getAttribute('aria-label')")
    assert focused.startswith("Restore "), focused

    last = many[-1]
    browser.press("Restore Deleted 104")
    browser.has("“Deleted 104” is restored.")
    assert server.fetch(last["id"])["title"] == "Deleted 104"
    # What somebody else restores leaves the list by itself.
    server.call("POST", f"/v1/articles/{many[-2]['id']}/revisions/1/restore")
    browser.until(lambda: "Deleted 103" not in browser.script(
        "return document.querySelector('.pages').innerText"), "a row that left by itself")

    # Authors see their own.
    browser.press("Sign out")
    browser.find("input", "Name")
    # Nothing that one person saw stays for the next.
    browser.lacks("is restored")
    browser.sign_in("paul", "#/articles?status=deleted")
    browser.has("Paul's own")
    assert browser.script(rows) == 1
    browser.press("Restore Paul's own")
    browser.has("Nothing is deleted.")
    assert server.fetch(own["id"])["title"] == "Paul's own"


def moderating(world):
    browser, server = world.browser, world.server
    article = server.article(title="Discussed", status="published")
    token = server.token("rita")
    for text in ("What about rye?", "Buy cheap pills", "Erase me"):
        server.call("POST", f"/v1/articles/{article['id']}/comments", {"body": text}, token)
    browser.sign_in("jun", "#/comments")
    browser.has("3 comments")
    browser.has("Discussed")

    def decide(text, action):
        browser.script("""
            const [text, action] = arguments;
            const row = [...document.querySelectorAll(".comment")].find(each => each.textContent.includes(text));
            [...row.querySelectorAll("button")].find(each => each.textContent === action).click();""",
            text, action)

    decide("What about rye?", "Approve")
    browser.has("The comment is visible.")
    decide("Buy cheap pills", "Hide")
    browser.has("The comment is hidden.")
    decide("Erase me", "Delete")
    browser.has("Delete this comment?")
    browser.press("Delete")
    browser.has("No comments wait for you.")
    comments = server.call("GET", f"/v1/articles/{article['id']}/comments")["items"]
    assert [(each["body"], each["status"]) for each in comments if each["status"] != "deleted"] == [
        ("What about rye?", "visible"), ("Buy cheap pills", "hidden")], comments


def following(world):
    browser, server = world.browser, world.server
    browser.sign_in("mina", "#/activity")
    browser.until(lambda: browser.script(
        "return document.querySelector('.live-state')?.textContent") == "Live", "the live stream")
    article = server.article(title="Breaking news", status="published")
    browser.find("a", "Breaking news")
    server.kill()
    browser.has("Not connected")
    server.start()
    browser.until(lambda: browser.script(
        "return document.querySelector('.live-state').textContent") == "Live", "the stream once more")
    server.call("DELETE", f"/v1/articles/{article['id']}")
    browser.until(lambda: browser.script(
        "return document.querySelector('.rows .badge').textContent") == "Deleted", "the deletion")
    browser.press("Articles")
    server.article(title="Not in the list")
    browser.find("h1", "Articles")


def statistics(world):
    browser = world.browser
    browser.sign_in("mina", "#/status")
    browser.has("Requests a minute")
    plots = browser.script("return [...document.querySelectorAll('.plot svg')].map(each => each.ariaLabel)")
    assert len(plots) == 7 and all("in the last hour" in plot for plot in plots), plots
    browser.has("Search index")
    browser.press("Check the database")
    browser.has("Intact:")


def backing_up(world):
    browser, server = world.browser, world.server
    folder = server.folder / "downloads"
    folder.mkdir()
    browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {
        "behavior": "allow", "downloadPath": str(folder)})
    browser.sign_in("mina", "#/transfer")
    browser.press("Download a backup")
    browser.has("The backup is complete")
    backup = server.until(lambda: next(folder.glob("*.db"), None), "the file")
    assert backup.read_bytes().startswith(b"SQLite format 3"), backup
    subprocess.run([server.broadsheet, "check", "--database", str(backup)], check=True,
                   stdout=subprocess.DEVNULL)


def importing(world):
    browser, server = world.browser, world.server
    browser.sign_in("mina", "#/transfer")
    browser.find("label", "Choose files")
    drop = """
        const [name, text] = arguments;
        const files = new DataTransfer();
        files.items.add(new File([text], name));
        document.querySelector(".drop").dispatchEvent(
            new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));"""
    text = "---\ntitle: Dropped\ndraft: true\n---\nFrom a file.\n"
    browser.script(drop, "dropped.md", text)
    browser.has("1 created, 0 updated")
    found = server.call("GET", "/v1/articles/dropped")
    assert found["body"].strip() == "From a file.", found
    browser.script(drop, "dropped.md", text)
    browser.has("0 created, 0 updated, 1 unchanged")
    browser.script(drop, "bad.ndjson", '{"title": 1}\n')
    browser.has("Line 1:")
    blog = """<rss xmlns:content="http://purl.org/rss/1.0/modules/content/"
        xmlns:wp="http://wordpress.org/export/1.2/"><channel><item><title>Moved</title>
        <content:encoded>&lt;b&gt;Bold&lt;/b&gt;</content:encoded><wp:post_id>1</wp:post_id>
        <wp:post_name>moved</wp:post_name><wp:status>draft</wp:status><wp:post_type>page</wp:post_type>
        </item></channel></rss>"""
    browser.script(drop, "blog.xml", blog)
    browser.has("it is a page, and became an article")
    assert server.call("GET", "/v1/articles/moved")["body"] == "**Bold**"
    ghost = """{"db": [{"meta": {}, "data": {"posts": [{"id": "1", "title": "Haunted", "slug": "haunted",
        "html": "<a href=\\"__GHOST_URL__/x\\">x</a>"}]}}]}"""
    browser.type("Address of the site (Ghost only)", "https://blog.example.org")
    browser.script(drop, "ghost.json", ghost)
    browser.has("ghost.json 1 created")
    assert server.call("GET", "/v1/articles/haunted")["body"] == "[x](https://blog.example.org/x)"


FLOWS = [history, deleting, restoring, moderating, following, statistics, backing_up, importing]
