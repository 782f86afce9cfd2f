#!/usr/bin/env python3
"""Reads the server's feeds as others do: `make feed-check`.

Articles with strange titles are published. feedparser and the JSON parser must find in the feeds what
the lists say of the articles, and each Atom document must be valid by a grammar of RFC 4287. Standard
Webhooks' library must verify what a receiver of webhooks gets.
"""

import argparse
import json
import os
import pathlib
import re
import secrets
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

import feedparser
from lxml import etree

import webhooks

ATOM = "{http://www.w3.org/2005/Atom}"
FORMATS = {
    "atom": "application/atom+xml; charset=utf-8",
    "rss": "application/rss+xml; charset=utf-8",
    "json": "application/feed+json",
}
PUBLIC = "https://news.example.org/api"
FORBIDDEN = [*(c for c in range(0x20) if c not in (9, 10, 13)), 0xFFFE, 0xFFFF]
TITLES = [
    "]]> <&>\"' &amp; &lt;b&gt; <b>bold</b> <script>x</script>",
    "\U0001F469\u200D\U0001F469\u200D\U0001F467 שלום عربي \u202Ertl\u202C 한국어 é",
    "<![CDATA[ <!-- --> ?> </title> &bomb; &#0; &#xFFFE;",
]
LIST = "/v1/articles?limit=100&fields=title,summary,slug,body,bodyHTML,tags,authors,publishedAt,updatedAt"


class Server:
    """A server with samples, for as long as it is a context."""

    def __init__(self, broadsheet, folder, *options):
        self.key = secrets.token_hex(20)
        self.process = subprocess.Popen(
            [broadsheet, "serve", "--listen", "127.0.0.1:0", "--log", "off", "--samples",
             "--database", os.path.join(folder, "articles.db"), "--public-url", PUBLIC,
             "--article-url", "https://example.org/posts/{slug}", "--feed-title", "A <b> & B",
             *options],
            env=dict(os.environ, BROADSHEET_ADMIN_KEY=self.key), stdout=subprocess.PIPE)
        line = self.process.stdout.readline().decode()
        self.address = re.search(r"http://127\.0\.0\.1:\d+", line).group()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def get(self, target):
        with urllib.request.urlopen(self.address + target) as response:
            return response.read(), response.headers

    def publish(self, article):
        """Whether the server accepts the article."""
        request = urllib.request.Request(
            self.address + "/v1/articles", json.dumps(article | {"status": "published"}).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {self.key}"})
        try:
            urllib.request.urlopen(request).close()
            return True
        except urllib.error.HTTPError as error:
            assert error.code in (400, 422), error.code
            return False


def allowed(text):
    """The text as XML can have it."""
    return "".join(c for c in text if ord(c) not in FORBIDDEN)


def pages(server, extension):
    """The documents of a feed, page by page."""
    target = f"/feeds/articles.{extension}?limit=7"
    while target:
        body, headers = server.get(target)
        assert headers["Content-Type"] == FORMATS[extension], headers["Content-Type"]
        assert headers["ETag"] and "no-cache" in headers["Cache-Control"]
        if extension == "json":
            following = json.loads(body).get("next_url")
        else:
            links = parsed(body).feed.links
            assert any(link.rel == "self" and link.href == PUBLIC + target for link in links), links
            following = next((link.href for link in links if link.rel == "next"), None)
        yield body
        target = following and following.removeprefix(PUBLIC)


def parsed(body):
    feed = feedparser.parse(body, sanitize_html=False, resolve_relative_uris=False)
    assert not feed.bozo, feed.bozo_exception
    return feed


def entries(server, extension):
    """Each entry as (id, link, title, summary, HTML, authors, tags, published, updated)."""
    for body in pages(server, extension):
        if extension == "json":
            document = json.loads(body)
            assert document["version"] == "https://jsonfeed.org/version/1.1"
            for item in document["items"]:
                yield (item["id"], item["url"], item["title"], item.get("summary", ""),
                       item.get("content_html", ""), [a["name"] for a in item.get("authors", [])],
                       item.get("tags", []), item["date_published"], item["date_modified"])
            continue
        for entry in parsed(body).entries:
            content = next((c.value for c in entry.get("content", []) if "html" in c.type), "")
            yield (entry.id, entry.link, entry.title, entry.get("summary", ""), content,
                   [a.name for a in entry.get("authors", []) if "name" in a],
                   [t.term for t in entry.get("tags", [])], entry.published, entry.updated)


def check_entries(server, articles, extension):
    found = list(entries(server, extension))
    assert [entry[0] for entry in found] == [f"urn:uuid:{a['id']}" for a in articles]
    plain = (lambda text: text) if extension == "json" else allowed
    for entry, article in zip(found, articles):
        slug = urllib.parse.quote(article["slug"], safe="")
        assert entry[1] == f"https://example.org/posts/{slug}", entry[1]
        assert entry[2] == plain(article["title"]), (entry[2], article["title"])
        # feedparser takes the content for the summary of an entry that has none.
        if article["summary"]:
            assert entry[3].strip() == plain(article["summary"]).strip(), entry[3]
        assert entry[4].strip() == plain(article["bodyHTML"]).strip(), (entry[4], article["bodyHTML"])
        if article["authors"]:
            assert entry[5] == [a["name"] for a in article["authors"]], entry[5]
        assert entry[6] == [t["name"] for t in article["tags"]], entry[6]
        assert entry[7] == article["publishedAt"] and entry[8] == article["updatedAt"], entry[7:]


def check_grammar(server):
    grammar = etree.RelaxNG(etree.parse(str(pathlib.Path(__file__).with_name("atom.rng"))))
    invalid = etree.fromstring(f'<feed xmlns="{ATOM[1:-1]}"><title>x</title></feed>')
    assert not grammar.validate(invalid), "the grammar accepts anything"
    count = 0
    for body in [*pages(server, "atom"), server.get("/feeds/articles.atom?tag=nothing")[0]]:
        root = etree.fromstring(body)
        assert grammar.validate(root), grammar.error_log
        for entry in root.iter(ATOM + "entry"):
            assert root.find(ATOM + "author") is not None or entry.find(ATOM + "author") is not None
            assert entry.find(ATOM + "content") is not None or entry.find(ATOM + "link") is not None
        count += 1
    return count


def check_webhooks(broadsheet):
    for secret in webhooks.SECRETS:
        with tempfile.TemporaryDirectory() as folder, webhooks.Receiver() as receiver:
            path = pathlib.Path(folder, "secret")
            path.write_text(secret)
            options = ["--webhook", receiver.url, "--webhook-secret-file", str(path)]
            with Server(broadsheet, folder, *options) as server:
                assert server.publish({"title": "한국어 é"})
                webhooks.check(receiver, secret)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--broadsheet", required=True)
    broadsheet = os.path.abspath(arguments.parse_args().broadsheet)
    with tempfile.TemporaryDirectory() as folder, Server(broadsheet, folder) as server:
        titles = TITLES + [f"a{chr(c)}b" for c in FORBIDDEN]
        accepted = [title for title in titles if server.publish({
            "title": title, "summary": title, "body": f"{title}\n\n[x](https://example.org/)",
            "tags": ["R&D <x>"]})]
        assert accepted[:len(TITLES)] == TITLES
        articles = json.loads(server.get(LIST)[0])["items"]
        assert len(articles) > len(accepted)
        for extension in FORMATS:
            check_entries(server, articles, extension)
        documents = check_grammar(server)
        link = server.get("/v1/articles?tag=x")[1]["Link"]
        assert link == '</feeds/articles.atom?tag=x>; rel="alternate"; type="application/atom+xml"'
    check_webhooks(broadsheet)
    print(f"{len(articles)} articles in {len(FORMATS)} formats are read as they are, "
          f"{len(accepted)} of them with strange titles; {documents} Atom documents are valid; "
          f"webhooks are verified with {len(webhooks.SECRETS)} forms of secrets")
    return 0


if __name__ == "__main__":
    sys.exit(main())
