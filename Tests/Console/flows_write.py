"""Writing: lists, the editor, conflicts, and what may go wrong in the middle of it."""

import subprocess

from selenium.webdriver.common.keys import Keys

from browser import Browser


def signing_in(world):
    browser = world.browser
    browser.open()
    browser.type("Name", "mina")
    browser.type("Password", "wrong horse")
    browser.press("Sign in")
    browser.has("The name or the password is wrong.")
    browser.fill_sign_in("mina")
    browser.find("h1", "Articles")
    browser.press("Sign out")
    browser.press("Use a key instead")
    browser.type("Key", world.key)
    browser.press("Sign in")
    browser.find("h1", "Articles")
    browser.open()
    browser.fill_sign_in("rita")
    browser.has("This console is for writers")


def writing(world):
    browser, server = world.browser, world.server
    server.article(title="Older", tags=["Fermentation"], authors=[{"name": "Jun Park"}])
    browser.sign_in("mina")
    browser.press("New article")
    browser.type("Text", "A **starter** needs flour.")
    browser.state("Kept on this device until it has a title")
    browser.type("Title", "Sourdough")
    browser.state("Saved at")
    browser.until(lambda: "<strong>starter</strong>" in browser.preview(), "the server's preview")
    identity = browser.script("return location.hash").split("/")[2]
    assert server.fetch(identity)["status"] == "draft"

    browser.press("Details")
    browser.type("Tags", "ferm")
    browser.until(lambda: browser.script(
        "return [...document.querySelectorAll('datalist option')].some(each => each.value === 'Fermentation')"),
        "a completed tag")
    browser.type("Tags", "Fermentation", replace=True).send_keys(Keys.ENTER)
    browser.find("button", "Remove Fermentation")
    browser.type("Authors", "Jun Park").send_keys(Keys.ENTER)
    browser.find("button", "Remove Jun Park")
    browser.type("Address", "sour-dough", replace=True)
    browser.type("Language", "en-GB", replace=True)
    browser.type("Picture", "https://pictures.example/loaf.png")
    browser.type("Alternative text", "A loaf")
    browser.type("Summary", "Flour, water, time.")
    wanted = {"slug": "sour-dough", "language": "en-GB", "summary": "Flour, water, time."}
    article = server.until(lambda: (lambda found: found if found.get("heroImage", {}).get(
        "alternativeText") == "A loaf" and found["summary"] == wanted["summary"] else None)(
            server.fetch(identity)), "everything on the server")
    assert {name: article[name] for name in wanted} == wanted, article
    assert [tag["name"] for tag in article["tags"]] == ["Fermentation"]
    assert [author["name"] for author in article["authors"]] == ["Jun Park"]

    # What is public changes when the person says so.
    browser.press("Publish…")
    browser.press("Publish")
    browser.has("The article is published.")
    assert server.fetch(identity)["status"] == "published"
    browser.type("Title", " at home")
    browser.state("Unpublished changes")
    assert server.fetch(identity)["title"] == "Sourdough"
    browser.press("Update")
    browser.has("The changes are public.")
    assert server.fetch(identity)["title"] == "Sourdough at home"


def undoing(world):
    browser, server = world.browser, world.server
    article = server.article(title="Undo", body="One.")
    browser.sign_in("mina", f"#/articles/{article['id']}")
    browser.type("Text", Keys.END + " Two.")
    browser.state("Saved at")
    browser.keys(Keys.CONTROL, "z")
    browser.until(lambda: browser.value("Text") == "One.", "the text before")
    browser.press("Redo")
    browser.until(lambda: browser.value("Text") == "One. Two.", "the text after")
    browser.press("Undo")
    server.until(lambda: server.fetch(article["id"])["body"] == "One.", "the undone text on the server")
    browser.type("Text", Keys.HOME)
    browser.keys(Keys.SHIFT, Keys.END)
    browser.keys(Keys.CONTROL, "b")
    browser.until(lambda: browser.value("Text") == "**One.**", "bold text")


def scheduling(world):
    browser, server = world.browser, world.server
    article = server.article(title="Tomorrow's bread")
    browser.sign_in("mina", f"#/articles/{article['id']}")
    browser.press("Publish…")
    browser.press("At a time")
    browser.choose("Time zone", "Asia/Seoul")
    browser.script("""
        const [day, time] = document.querySelectorAll("dialog [type=date], dialog [type=time]");
        day.value = "2031-03-09";
        time.value = "09:30";
        day.dispatchEvent(new Event("input"));""")
    browser.press("Schedule")
    browser.has("The article is scheduled for")
    found = server.fetch(article["id"])
    assert (found["status"], found["publishedAt"]) == ("scheduled", "2031-03-09T00:30:00.000Z"), found
    browser.press("More")
    browser.press("Change the time…")
    browser.script("document.querySelector('dialog [type=date]').value = '2001-01-01'")
    browser.press("Schedule")
    browser.has("This time has passed.")
    browser.press("Cancel")
    browser.press("Due")
    browser.find("h2", "March 9")
    browser.find("a", "Tomorrow's bread")


def listing(world):
    browser, server = world.browser, world.server
    for number in range(3):
        server.article(title=f"Baguette {number}", tags=["Oven"])
    server.article(title="Ciabatta", status="published", body="Olives and patience.")
    browser.sign_in("mina")
    browser.find("a", "Baguette 0")
    browser.choose("Status", "Published")
    browser.find("a", "Ciabatta")
    browser.lacks("Baguette 0")
    # Every row has its state as a word.
    words = browser.script(
        "return [...document.querySelectorAll('.rows .badge')].map(each => each.textContent)")
    assert words and set(words) == {"Published"}, words
    browser.choose("Status", "Any")
    browser.type("Tag", "Oven").send_keys(Keys.TAB)
    browser.lacks("Ciabatta")
    browser.find("a", "Baguette 2")
    browser.has("3 articles")
    browser.type("Tag", Keys.BACKSPACE, replace=True).send_keys(Keys.TAB)
    browser.type("Search", "baguet")
    browser.until(lambda: browser.script(
        "return document.querySelectorAll('.row-title').length") == 3, "three drafts by their titles")
    server.until(lambda: server.call("GET", "/v1/search?q=patience")["items"], "the index")
    browser.type("Search", "patience", replace=True)
    browser.find("a", "Ciabatta")
    browser.find("mark", "patience")
    assert "q=patience" in browser.script("return location.hash")


def working_on_several(world):
    browser, server = world.browser, world.server
    articles = [server.article(title=f"Bulk {number}", tags=["Bulk"]) for number in range(3)]
    browser.sign_in("mina", "#/articles?tag=Bulk")
    browser.has("3 articles")
    browser.press("Select all shown")
    browser.has("3 selected")
    browser.press("Add tag…")
    browser.type("Tag", "Winter")
    browser.press("Add tag")
    browser.has("3 articles changed.")
    browser.press("Publish…")
    server.until(lambda: all(server.fetch(each["id"])["status"] == "published" for each in articles),
                 "three published articles")
    assert [tag["name"] for tag in server.fetch(articles[0]["id"])["tags"]] == ["Bulk", "Winter"]
    # One that somebody else changes at the same moment is left as it is, and named.
    browser.until(lambda: browser.script(
        "return [...document.querySelectorAll('.rows .badge')].every(each => each.textContent === 'Published')"),
        "published rows")
    browser.press("Clear selection")
    browser.press("Select Bulk 0")
    browser.press("Archive")
    browser.has("1 article changed.")
    assert server.fetch(articles[0]["id"])["status"] == "archived"


def conflicting(world):
    first, server = world.browser, world.server
    article = server.article(title="Together", body="The first line.\n", summary="Old.")
    first.sign_in("mina", f"#/articles/{article['id']}")
    second = Browser(server.url)
    try:
        second.sign_in("jun", f"#/articles/{article['id']}")
        second.type("Title", "Together again", replace=True)
        second.type("Summary", "By Jun.", replace=True)
        second.state("Saved at")
        first.type("Title", "Never alone", replace=True)
        first.type("Text", "The line of Mina.", replace=True)
        first.has("Two versions")
        first.has("Together again")
        first.has("By Jun.")
        # The title was changed by both: nothing is saved until the person chooses.
        assert first.find("button", "Save these choices").get_property("disabled")
        first.script("""
            for (const set of document.querySelectorAll(".versions")) {
                if (set.querySelector("legend").textContent === "Title") {
                    set.querySelector("[value=theirs]").click();
                }
            }""")
        first.press("Save these choices")
        first.has("Both versions are merged and saved.")
        found = server.fetch(article["id"])
        assert (found["title"], found["summary"], found["body"].strip()) == (
            "Together again", "By Jun.", "The line of Mina."), found
        assert first.value("Title") == "Together again"
        second.check_log()
    finally:
        second.close()


def restarting(world):
    browser, server = world.browser, world.server
    article = server.article(title="Restart", body="")
    browser.sign_in("mina", f"#/articles/{article['id']}")
    browser.type("Text", "Before. ")
    browser.state("Saved at")
    server.kill()
    browser.type("Text", "Meanwhile. ")
    browser.state("Kept on this device; waiting")
    browser.has("The server does not respond.")
    browser.type("Text", "Still. ")
    server.start()
    browser.state("Saved at")
    browser.type("Text", "After.")
    server.until(lambda: server.fetch(article["id"])["body"] == "Before. Meanwhile. Still. After.",
                 "every word")


def expiring(world):
    browser, server = world.browser, world.server
    server.user("edda", "editor")
    article = server.article(title="Expired", body="")
    browser.sign_in("edda", f"#/articles/{article['id']}")
    identity = server.call("GET", "/v1/users?name=edda")["items"][0]["id"]
    # Ends all sessions of the account.
    server.call("PATCH", f"/v1/users/{identity}", {"disabled": True})
    server.call("PATCH", f"/v1/users/{identity}", {"disabled": False})
    browser.has("Sign in again")
    assert browser.value("Name") == "edda"
    browser.fill_sign_in("edda")
    browser.until(lambda: not browser.script("return document.querySelector('dialog')"), "the dialog's end")
    browser.type("Text", "Nothing is lost.")
    browser.state("Saved at")
    assert server.fetch(article["id"])["body"] == "Nothing is lost."


def offline(world):
    browser, server = world.browser, world.server
    article = server.article(title="Tunnel", body="")
    browser.sign_in("mina", f"#/articles/{article['id']}")
    conditions = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.driver.execute_cdp_cmd("Network.enable", {})
    browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": True, **conditions})
    browser.type("Text", "In the tunnel.")
    browser.state("Kept on this device; waiting")
    browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": False, **conditions})
    browser.state("Saved at")
    assert server.fetch(article["id"])["body"] == "In the tunnel."
    browser.lacks("The server does not respond.")


def leaving(world):
    browser, server = world.browser, world.server
    article = server.article(title="Public", status="published", body="Old.")
    browser.sign_in("mina", f"#/articles/{article['id']}")
    browser.type("Text", "New.", replace=True)
    browser.state("Unpublished changes")
    browser.press("All articles")
    browser.has("Leave with unsaved text?")
    browser.press("Cancel")
    assert browser.value("Text") == "New."
    browser.press("All articles")
    browser.press("Leave")
    browser.find("h1", "Articles")
    browser.has("Not on the server yet")
    # A reload signs out over plain HTTP; the text is there all the same.
    browser.sign_in("mina", f"?again#/articles/{article['id']}")
    browser.has("Your unsaved text from")
    assert browser.value("Text") == "New."
    assert server.fetch(article["id"])["body"] == "Old."
    browser.press("More")
    browser.press("Discard changes")
    browser.until(lambda: browser.value("Text") == "Old.", "the text of the server")
    browser.state("Saved")


def by_keyboard(world):
    browser, server = world.browser, world.server
    browser.open()
    browser.find("input", "Name")
    browser.keys("mina", Keys.TAB, "correct horse battery", Keys.ENTER)
    browser.find("h1", "Articles")

    def tab_to(name):
        for _ in range(80):
            browser.keys(Keys.TAB)
            focused = browser.script("""
                const element = document.activeElement;
                return (element.getAttribute("aria-label") || element.textContent).trim();""")
            if focused == name:
                return
        raise AssertionError(f"the key Tab never reaches {name!r}")

    browser.keys("/")
    assert browser.script("return document.activeElement.id") == "search"
    browser.script("document.getElementById('main').focus()")
    tab_to("New article")
    browser.keys(Keys.ENTER)
    browser.until(lambda: browser.script("return document.activeElement.id") == "edit-title", "the title")
    browser.keys("By keys", Keys.TAB, Keys.TAB, "No mouse.")
    browser.state("Saved at")
    browser.script("document.getElementById('main').focus()")
    tab_to("Publish…")
    browser.keys(Keys.ENTER)
    browser.find("button", "Publish")
    tab_to("Publish")
    browser.keys(Keys.ENTER)
    browser.has("The article is published.")
    browser.until(lambda: browser.script("return document.activeElement.textContent") == "Update",
                  "the focus on the button that was pressed")
    identity = browser.script("return location.hash").split("/")[2]
    assert server.fetch(identity)["status"] == "published"


def another_person(world):
    """Whoever signs in where a session has ended does not send what somebody else has begun."""
    browser, server = world.browser, world.server
    server.user("first", "editor")
    article = server.article(title="Shared desk", body="")
    browser.sign_in("first", f"#/articles/{article['id']}")
    server.kill()
    browser.type("Text", "Of the first.")
    browser.state("Kept on this device; waiting")
    # Both end all sessions of the account, before the text can be sent.
    for action in ("disable", "enable"):
        subprocess.run([server.broadsheet, "user", action, "first", "--database",
                        str(server.folder / "console.db")], check=True, stdout=subprocess.DEVNULL)
    server.start()
    browser.has("Sign in again")
    browser.fill_sign_in("jun")
    browser.until(lambda: not browser.script("return document.querySelector('dialog')"), "the dialog's end")
    browser.until(lambda: browser.script(
        "return document.querySelector('.who')?.textContent") == "jun", "the page of Jun")
    browser.until(lambda: browser.value("Text") == "", "the article as the server has it")
    assert server.fetch(article["id"])["body"] == ""


FLOWS = [signing_in, writing, undoing, scheduling, listing, working_on_several, conflicting, restarting,
         expiring, another_person, offline, leaving, by_keyboard]

