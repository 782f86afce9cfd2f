import ArticleAPI
import Testing

@testable import ArticleImportExport
@testable import ArticleServices

/// Posts that were not public at their source do not become public here.
@Suite struct SourceVisibilityTests {
    private func post(_ yaml: String) throws(FrontMatterError) -> MarkdownPost {
        try MarkdownPost(Array("---\n\(yaml)\n---\nText.\n".utf8), name: "a.md")
    }

    @Test(arguments: [
        "draft: true", "draft: 'true'", "draft: yes", "draft: 1", "Draft: TRUE", "isDraft: true",
        "published: false", "published: No", "publish: off", "status: draft", "status: Draft",
        "published: true\ndraft: true", "draft: true\nstatus: published", "state: draft",
    ])
    func `a draft is a draft, without a note`(yaml: String) throws {
        let front = try post(yaml).frontMatter
        #expect(front.status == .draft && front.notes == [])
    }

    @Test(arguments: [
        ("status: private", "status is \"private\""), ("status: pending", "status is \"pending\""),
        ("post_status: trash", "post_status is \"trash\""), ("status: hidden", nil),
        ("status:", "status is \"\""), ("status: [published]", nil), ("status: true", nil),
        ("visibility: members", "visibility is \"members\""), ("access: paid", nil),
        ("password: letmein", "it has a password"), ("private: true", nil), ("hidden: 1", nil),
        ("unlisted: true", nil), ("listed: false", nil), ("draft: perhaps", nil),
        ("draft: [true]", nil), ("published: maybe", nil), ("published:", nil), ("render: no", nil),
        ("permalink: false", nil), ("eleventyExcludeFromCollections: true", nil),
        ("_build: {render: never}", "_build.render is \"never\""), ("build: {list: local}", nil),
        ("build: {list: false}", nil), ("params: {private: true}", nil), ("headless: true", nil),
        ("status: scheduled", "it is scheduled without a date"), ("publishDate: soon", nil),
        ("date: [2020-01-01]", nil), ("expiryDate: later", nil),
        ("status: published\nhidden: x", nil), ("protect: logged_in", "protect is \"logged_in\""),
        ("routable: false", nil), ("dg-publish: false", nil), ("ignorePublish: true", nil),
        ("hide: true", nil), ("hide: [toc, everything]", nil), ("disabled: true", nil),
        ("enabled: false", nil), ("state: review", nil), ("audience: members", nil),
        ("login_required: true", nil), ("public: soon", nil),
    ])
    func `what not everybody could read, or is not understood, is a draft with a note`(
        yaml: String, text: String?
    ) throws {
        let front = try post(yaml).frontMatter
        #expect(front.status == .draft)
        #expect(front.notes.count == 1 && front.notes[0].makesDraft && front.notes[0].line >= 2)
        if let text { #expect(front.notes[0].text == text) }
        #expect(!front.notes[0].text.contains("letmein"))
    }

    @Test(arguments: [
        "", "title: A", "draft: false", "draft:", "draft: ''", "draft: 0", "published: true",
        "published: 2020-01-02", "published: on", "status: publish", "status: Published",
        "status: public\nvisibility: public", "private: false", "password: ''", "password:",
        "hidden: no", "build: {list: always, render: true}", "expiryDate:", "unlisted: ~",
        "date: 2020-01-02\npublishDate:", "state: published\naudience: everyone", "access: all",
        "hide: [navigation, toc]", "hide: false", "enabled: true\nroutable: true", "protect:",
    ])
    func `what everybody could read is published`(yaml: String) throws {
        let post = try post(yaml)
        #expect(post.draft.status == .published && post.frontMatter.notes == [])
    }

    @Test func `cascades of a section page hide what is below it`() throws {
        for yaml in [
            "cascade: {draft: true}", "cascade:\n- build: {render: never}\n  _target: {path: /x}",
            "cascade: {publishDate: 2099-01-01}", "cascade: {params: {expiryDate: 2020-01-01}}",
            "cascade: {published: 2099-01-01}",
        ] {
            let front = try post(yaml).frontMatter
            #expect(front.hidesDescendants && front.status == .draft)
        }
        let harmless = try post("draft: true\ncascade: {banner: x, draft: false}").frontMatter
        #expect(!harmless.hidesDescendants)
    }

    @Test func `the time of publication precedes the date`() throws {
        let front = try post("date: 2020-01-01\nPublishDate: 2099-01-01\n").frontMatter
        #expect(front.date == Timestamp("2099-01-01T00:00:00Z"))
        #expect(
            try post("published: 2020-03-04").frontMatter.date?.milliseconds == 1_583_280_000_000)
    }

    @Test(arguments: [
        "date: 2020-01-01\npublished: 2099-01-01", "published: 2099-01-01\ndate: 2020-01-01",
        "publishDate: 2020-01-01\nembargo_until: 2099-01-01",
        "publishDate: 2020-01-01\npublish_date: 2099-01-01",
        "date: 2020-01-01\nparams: {date: 2099-01-01}", "date: 2020-01-01\nDate: 2099-01-01",
        "public: 2099-01-01", "date: 2020-01-01\nvisible: 2099-01-01",
    ])
    func `of several dates, the latest is the time of publication`(yaml: String) throws {
        #expect(try post(yaml).frontMatter.date == Timestamp("2099-01-01T00:00:00Z"))
    }

    @Test func `the earliest expiry counts`() throws {
        let front = try post("expiryDate: 2099-01-01\nexpirydate: 2000-01-01").frontMatter
        #expect(front.expiry == Timestamp("2000-01-01T00:00:00Z"))
    }

    @Test func `a post that expired is archived, and one that will is noted`() throws {
        let now = try #require(Timestamp("2026-01-01T00:00:00Z"))
        func imported(_ yaml: String) throws -> (draft: Article.Draft, notes: [FrontMatter.Note]) {
            try post(yaml).imported(at: now, hiddenBy: nil)
        }
        let over = try imported("expiryDate: 2025-12-31")
        #expect(over.draft.status == .archived && over.notes.count == 1)
        let later = try imported("unpublish_date: 2027-01-01")
        #expect(later.draft.status == .published && later.notes.count == 1)
        let draft = try imported("draft: true\nexpiryDate: 2025-12-31")
        #expect(draft.draft.status == .draft && draft.notes == [])
        #expect(try imported("status: archived").draft.status == .archived)
        #expect(try imported("status: archived\ndraft: true").draft.status == .draft)
        let future = try imported("status: future\ndate: 2099-01-01")
        #expect(future.draft.status == .scheduled && future.notes == [])
    }
}
