import ArticleAPI
import BroadsheetHTTP
import Testing

/// The articles and authors of most scenarios, one for each kind of visibility.
enum Samples {
    /// Public since yesterday: revision 1, slug `fresh-bread`, by Mina.
    static let bread = id(1)
    /// A draft by a ghost.
    static let secret = id(2)
    /// Public in an hour, by the ghost.
    static let tomorrow = id(3)
    static let archived = id(4)
    /// Was public before it was deleted: revision 2.
    static let gone = id(5)
    /// Does not exist.
    static let nobody = id(9)
    /// Has a public article.
    static let mina = id(0xA1)
    /// Has articles, but no public one.
    static let ghost = id(0xA2)

    static let hidden = [secret, tomorrow, archived, gone]
    static let hiddenSlugs = ["secret-plan", "tomorrows-loaf", "old-news", "gone"]

    static func id(_ number: Int) -> String {
        "01900000-0000-7000-8000-" + String(0x1000_0000_0000 + number, radix: 16)
    }

    static let breadJSON = """
        {"id":"\(bread)","title":"Fresh bread","summary":"How to bake.",\
        "body":"Flour, water, salt.","authors":[{"id":"\(mina)"}],"tags":["Bread","Home"],\
        "heroImage":{"url":"https://example.org/b.png","alternativeText":"A loaf"},\
        "source":{"name":"Wire","url":"https://example.org/1"},\
        "status":"published","publishedAt":"2027-01-14T08:00:00Z"}
        """

    private static let others = [
        """
        {"id":"\(secret)","title":"Secret plan","authors":[{"id":"\(ghost)"}],\
        "tags":["Bread","Hidden"],"source":{"name":"Mole"},"language":"ko"}
        """,
        """
        {"id":"\(tomorrow)","title":"Tomorrow's loaf","authors":[{"id":"\(ghost)"}],\
        "tags":["Bread","Soon"],"status":"scheduled","publishedAt":"2027-01-15T09:00:00Z"}
        """,
        """
        {"id":"\(archived)","title":"Old news","tags":["Old"],"status":"archived",\
        "publishedAt":"2020-01-01T00:00:00Z"}
        """,
        """
        {"id":"\(gone)","title":"Gone","tags":["Bread","Lost"],"status":"published",\
        "publishedAt":"2027-01-13T08:00:00Z"}
        """,
    ]

    /// Creates all of them.
    static func create(_ server: TestBackend) throws {
        for (id, name) in [(mina, "Mina"), (ghost, "Ghost")] {
            let made = try server.send(
                "PUT /v1/authors/\(id)", as: .editor, #"{"name":"\#(name)"}"#)
            #expect(made.summary == "201")
        }
        for json in [breadJSON] + others {
            let made = try server.send("POST /v1/articles", as: .editor, json)
            #expect(made.summary == "201")
        }
        let deleted = try server.send("DELETE /v1/articles/\(gone)", as: .editor)
        #expect(deleted.summary == "204")
    }
}
