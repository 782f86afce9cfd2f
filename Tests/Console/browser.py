"""A browser with the console, used as a person does: by labels, words and keys."""

import contextlib

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from server import PASSWORD, PATIENCE

# Finds what is visible: a control by its name, in the topmost dialog if there is one.
FIND = """
const [selector, name] = arguments;
const dialogs = document.querySelectorAll("dialog[open]");
const root = dialogs.length ? dialogs[dialogs.length - 1] : document;
const text = element => (element.getAttribute("aria-label")
    || [...(element.labels ?? [])].map(label => label.textContent).join(" ")
    || element.textContent).trim();
const isVisible = element => element.checkVisibility({ visibilityProperty: true });
for (const exact of [true, false]) {
    for (const element of root.querySelectorAll(selector)) {
        if (!isVisible(element) && !element.matches("input.unseen")) continue;
        if (exact ? text(element) === name : text(element).includes(name)) return element;
    }
}
return null;
"""


class Browser:
    def __init__(self, url, width=1280, height=900):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for option in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage",
                       "force-prefers-reduced-motion", "lang=en", f"window-size={width},{height}"):
            options.add_argument("--" + option)
        options.add_experimental_option("prefs", {"intl.accept_languages": "en"})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.set_capability("unhandledPromptBehavior", "ignore")
        # The server of a test has a certificate that nobody has signed.
        options.set_capability("acceptInsecureCerts", url.startswith("https:"))
        self.driver = webdriver.Chrome(
            service=webdriver.ChromeService("/usr/bin/chromedriver"), options=options)
        self.url = url
        self.resize(width, height)

    def close(self):
        self.driver.quit()

    def resize(self, width, height=900):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    # ---- Waiting ----

    def until(self, condition, what):
        def attempt(_):
            with contextlib.suppress(StaleElementReferenceException):
                return condition()
        try:
            return WebDriverWait(self.driver, PATIENCE, 0.05).until(attempt)
        except WebDriverException as error:
            page = self.script("return document.body.innerText")
            raise AssertionError(f"never: {what}\n---\n{page[:3000]}\n---\n{self.log()}") from error

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def find(self, selector, name):
        return self.until(lambda: self.script(FIND, selector, name), f"{selector} named {name!r}")

    def has(self, text):
        return self.until(lambda: text in self.text(), f"the text {text!r}")

    def lacks(self, text):
        return self.until(lambda: text not in self.text(), f"no text {text!r}")

    def text(self):
        return self.script("return document.body.innerText")

    # ---- Acting ----

    def press(self, name):
        """Presses a button, or follows a link."""
        def attempt():
            element = self.script(FIND, "button:enabled:not([aria-disabled=true]), a, label.button, [type=radio], [type=checkbox]", name)
            if not element:
                return False
            self.script("arguments[0].scrollIntoView({block: 'center'})", element)
            try:
                element.click()
            except StaleElementReferenceException:
                return False
            except WebDriverException as error:
                # Something passes over it, such as a message.
                if "intercepted" not in str(error) and "not interactable" not in str(error):
                    raise
                return False
            return True
        self.until(attempt, f"something to press named {name!r}")

    def type(self, label, text, replace=False):
        control = self.find("input, textarea", label)
        if replace:
            control.send_keys(Keys.CONTROL, "a")
        control.send_keys(text)
        return control

    def choose(self, label, option):
        control = self.find("select", label)
        for each in control.find_elements(By.TAG_NAME, "option"):
            if each.text == option or each.get_attribute("value") == option:
                return each.click()
        raise AssertionError(f"{label} has no option {option!r}")

    def value(self, label):
        return self.find("input, textarea, select", label).get_property("value")

    def keys(self, *keys):
        self.driver.switch_to.active_element.send_keys(*keys)

    def go(self, route):
        self.script("location.hash = arguments[0]", route)

    # ---- The console ----

    def open(self, route=""):
        self.driver.get(self.url + "/console" + route)

    def sign_in(self, name, route=""):
        self.open(route)
        self.fill_sign_in(name)
        self.until(lambda: self.script(
            "return document.querySelector('main .place h1')"), "a page after the sign-in")

    def fill_sign_in(self, name):
        self.type("Name", name, replace=True)
        self.type("Password", PASSWORD, replace=True)
        self.press("Sign in")

    def state(self, text):
        """Waits until the editor says how far it has saved."""
        self.until(lambda: self.script(
            "return document.querySelector('.save-state')?.textContent ?? ''").startswith(text),
            f"the state {text!r}")

    def preview(self):
        return self.script(
            "return document.querySelector('.rendered').shadowRoot.querySelector('.content').innerHTML")

    # ---- Checks ----

    def log(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def check_log(self):
        """No error, except that the network may report what a test provokes."""
        faults = [entry["message"] for entry in self.driver.get_log("browser")
                  if entry["level"] == "SEVERE" and entry["source"] != "network"]
        assert not faults, faults

    def check_accessibility(self, axe, where):
        self.check_log()
        self.script(axe)
        result = self.driver.execute_async_script("""
            const done = arguments[arguments.length - 1];
            axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })
                .then(done, error => done({ violations: [{ id: String(error), nodes: [] }] }));
        """)
        # The checker tries inline styles, which the page forbids.
        self.log()
        faults = [f"{fault['id']}: {node['target']} {node.get('failureSummary', '')}"
                  for fault in result["violations"] for node in fault["nodes"] or [{"target": ""}]]
        assert not faults, f"{where}: " + "\n".join(faults)

    def check_width(self, where):
        overflow = self.script(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 0, f"{where} is {overflow} px wider than the window"
