"""Sends each kind of write, on both engines, and finds what is executed while its transaction is open."""

import datetime
import hashlib
import os
import time
import uuid

PASSWORD = "correct horse"


class Writes:
    """The kinds of writes, in an order in which each has what it needs."""

    def __init__(self, server):
        self.server, self.send = server, server.connection.send
        self.admin, self.editor = server.admin, server.editor
        self.number = 0

    def kinds(self):
        """Pairs of a name and the function that sends the write, or several of the kind."""
        return [(name[1:].replace("_", " "), getattr(self, name))
                for name in vars(type(self)) if name.startswith("_") and not name.startswith("__")]

    def key(self):
        self.number += 1
        return {"Idempotency_Key": f'"write-{self.number}"'}

    def tag(self, target, **fields):
        return {"If_Match": self.send("GET", target, **(fields or self.editor))[0]["etag"]}

    def new_user(self, role="reader"):
        """Creates a user; returns the name and the target."""
        self.number += 1
        name = f"user{self.number}"
        _, user = self.send("POST", "/v1/users", {"name": name, "password": PASSWORD}, **self.admin)
        target = f"/v1/users/{user['id']}"
        if role != "reader":
            self.send("PATCH", target, {"role": role}, **self.admin)
        return name, target

    def session(self, name):
        _, session = self.send("POST", "/v1/sessions", {"name": name, "password": PASSWORD})
        return session, {"Authorization": f"Bearer {session['accessToken']}"}

    # Articles and authors

    def _creation(self):
        body = {"title": "Written", "body": "Flour.", "status": "published", "tags": ["written"],
                "authors": [{"name": "Ada"}]}
        _, article = self.send("POST", "/v1/articles", body, **self.editor, **self.key())
        self.article, self.author = f"/v1/articles/{article['id']}", article["authors"][0]["id"]

    def _patch(self):
        self.send("PATCH", self.article, {"title": "Patched", "body": "Water."}, **self.editor,
                  **self.tag(self.article), **self.key())

    def _replacement(self):
        fields, article = self.send("GET", self.article, **self.editor)
        article |= {"title": "Replaced"}
        self.send("PUT", self.article, article, If_Match=fields["etag"], **self.editor, **self.key())

    def _deletion(self):
        self.send("DELETE", self.article, **self.editor, **self.key())

    def _restoration(self):
        self.send("POST", f"{self.article}/revisions/1/restore", **self.editor, **self.key())

    def _publication_of_a_scheduled_article(self):
        due = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=8)
        body = {"title": "Scheduled", "status": "scheduled",
                "publishedAt": due.strftime("%Y-%m-%dT%H:%M:%SZ")}
        _, article = self.send("POST", "/v1/articles", body, **self.editor)
        while article["status"] != "published":
            time.sleep(0.5)
            _, article = self.send("GET", f"/v1/articles/{article['id']}", **self.editor)

    def _author(self):
        target = f"/v1/authors/{self.author}"
        self.send("PUT", target, {"name": "Ada Lovelace"}, **self.editor, **self.tag(target),
                  **self.key())
        self.send("PUT", f"/v1/authors/{new_id()}", {"name": "Bea"}, **self.editor, **self.key())

    def _import_of_a_file(self):
        name = f"file-{self.number}"
        for _ in range(2):
            self.number += 1
            text = f"---\ntitle: Imported {self.number}\ntags: [written]\n---\nFlour."
            self.send("POST", f"/v1/admin/import?name={name}.md", text.encode(), **self.admin)

    # What readers write

    def _comment(self):
        _, self.reader = self.session(self.new_user()[0])
        _, comment = self.send("POST", f"{self.article}/comments", {"body": "What about rye?"},
                               **self.reader, **self.key())
        self.comment = f"/v1/comments/{comment['id']}"

    def _edit_of_a_comment(self):
        self.send("PATCH", self.comment, {"body": "And rye?"}, **self.reader, **self.key())
        self.send("PATCH", self.comment, {"status": "hidden"}, **self.editor, **self.key())

    def _deletion_of_a_comment(self):
        self.send("DELETE", self.comment, **self.reader, **self.key())

    def _bookmark(self):
        target = f"/v1/me/bookmarks/{self.article.split('/')[-1]}"
        self.send("PUT", target, {"position": 0.5}, **self.reader)
        self.send("DELETE", target, **self.reader)

    # Accounts

    def _user(self):
        _, target = self.new_user("author")
        self.send("PATCH", target, {"displayName": "Other"}, **self.admin)
        self.send("DELETE", target, **self.admin)

    def _own_account(self):
        _, self.reader = self.session(self.new_user()[0])
        self.send("PATCH", "/v1/me", {"displayName": "Reader"}, **self.reader)
        self.send("PUT", "/v1/me/password", {"current": PASSWORD, "password": PASSWORD + "!"},
                  **self.reader)

    def _session(self):
        session, _ = self.session(self.new_user()[0])
        _, session = self.send("POST", "/v1/sessions/refresh", {"refreshToken": session["refreshToken"]})
        self.send("DELETE", "/v1/sessions/current", Authorization=f"Bearer {session['accessToken']}")

    def _invitation(self):
        self.send("POST", "/v1/invitations", {"role": "author"}, **self.admin)

    def _key(self):
        name = os.urandom(8).hex()
        self.send("POST", "/v1/admin/keys", {
            "id": name, "digest": hashlib.sha256(name.encode()).hexdigest(), "name": "written",
            "role": "editor"}, **self.admin)
        self.send("POST", f"/v1/admin/keys/{name}/revocation", **self.admin)

    # What operators do

    def _source(self):
        _, source = self.send("POST", "/v1/sources", {
            "url": "https://example.org/feed", "paused": True}, **self.admin, **self.key())
        target = f"/v1/sources/{source['id']}"
        self.send("PATCH", target, {"name": "Example"}, **self.admin)
        self.send("DELETE", target, **self.admin)

    def _purge(self):
        purge = {"articleID": self.article.split("/")[-1], "revisions": [1], "reason": "walks"}
        self.send("POST", "/v1/admin/purge", purge, **self.admin)


def new_id():
    """A UUIDv7."""
    number = uuid.uuid4().int & ~(0xFFFFFFFFFFFF << 80 | 0xF << 76)
    return str(uuid.UUID(int=number | int(time.time() * 1000) << 80 | 7 << 76))


def windows(server):
    """The profile of each kind of write."""
    return {name: [window(server, write)] for name, write in Writes(server).kinds()}


def window(server, write):
    """The profile of one write. It is repeated if a dump took so long that the database has given the
    server up meanwhile."""
    for _ in range(10):
        try:
            return server.windows.window(write)
        except SystemExit as error:
            failure = error
            while not server.connection.accepts("/readyz"):
                time.sleep(1)
    raise failure


def show(engine, code, profiles):
    """Prints what of the services is executed in transactions; returns the number of such kinds, and of
    those without a transaction."""
    faults = 0
    for name, (profile,) in profiles.items():
        paths = sorted(path for path in code.files(profile.inside) if code.is_service(path))
        if not profile.inside:
            print(f"{engine}, {name}: no transaction was seen")
        for path in paths:
            functions = code.functions(profile.inside, path)
            print(f"{engine}, {name}: {path}: {', '.join(functions)}")
        faults += bool(paths) or not profile.inside
    return faults
