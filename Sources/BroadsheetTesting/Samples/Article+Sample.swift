public import ArticleAPI

/// Articles for tests and previews. The same arguments always give the same values: nothing here
/// reads a clock or makes random numbers.
extension Article {
    /// An article with these attributes, and plausible ones for the rest.
    ///
    /// ```swift
    /// let article = Article.sample(title: "Rye bread", tags: [.sample("Baking")])
    /// let draft = Article.sample(id: .sample(2), title: "Wheat bread", status: .draft)
    /// ```
    ///
    /// - Parameters:
    ///   - id: articles that are shown together need different ones.
    ///   - slug: `nil` for that of the title.
    ///   - body: Markdown, from which words are counted; `nil` as in a list.
    ///   - publishedAt: `nil` for a past time if the article is published or archived, for the year
    ///     2100 if it is scheduled, and otherwise for none.
    ///   - updatedAt: `nil` for `createdAt`.
    ///   - version: `nil` for one of this revision.
    public static func sample(
        id: ID = .sample(), slug: String? = nil, title: String = "Rye bread for beginners",
        summary: String = "Three days of patience, and one hour of work.",
        body: String? = "Rye needs *time*, not strength.\n\nFeed the starter, and wait.",
        bodyHTML: String? = nil, language: String = "en",
        authors: [Author.Reference] = [.sample()], tags: [ArticleTag] = [.sample()],
        heroImage: HeroImage? = nil, status: Status = .published, publishedAt: Timestamp? = nil,
        createdAt: Timestamp = .sample(), updatedAt: Timestamp? = nil, revision: Int = 1,
        version: String? = nil, source: Source? = nil, comments: CommentPolicy? = nil,
        commentCount: Int? = nil, owner: User.ID? = nil
    ) -> Article {
        let time: Timestamp? =
            switch status {
            case .published, .archived: createdAt
            case .scheduled: .sampleFuture
            case .draft, .unknown: nil
            }
        let measure = TextMeasure(utf8: PlainText.bytes(ofMarkdown: body ?? ""))
        return Article(
            id: id, slug: slug ?? Slug(title: title)?.text ?? "\(id)", title: title,
            summary: summary, body: body, bodyHTML: bodyHTML, language: language,
            authors: authors, tags: tags, heroImage: heroImage, status: status,
            publishedAt: publishedAt ?? time, createdAt: createdAt,
            updatedAt: updatedAt ?? createdAt, revision: revision,
            version: version ?? "\(revision)-sample", source: source, wordCount: measure.words,
            readingMinutes: measure.readingMinutes, comments: comments,
            commentCount: commentCount, owner: owner)
    }
}

/// A small magazine: articles with authors, tags, pictures and comments.
extension Article {
    /// Twelve articles, the newest first: ten that are published, two of them in Korean, a
    /// scheduled one and a draft.
    public static let samples: [Article] = SampleText.all.enumerated().map { index, text in
        let number = SampleText.all.count - index
        let time = Timestamp.sample(days: number - SampleText.all.count, hours: -2)
        return .sample(
            id: .sample(number), title: text.title, summary: text.summary, body: text.body,
            language: text.language, authors: text.authors.map { Author.samples[$0].reference },
            tags: text.tags.map { .sample($0) },
            heroImage: text.picture.map { name, description in
                HeroImage(
                    url: "https://images.example.org/\(name).jpg", alternativeText: description)
            },
            status: text.status, createdAt: time)
    }
}

/// The texts of the sample articles.
private struct SampleText {
    var title: String
    var summary: String
    var body: String
    var language = "en"
    /// Places in `Author.samples`.
    var authors = [0]
    var tags: [String]
    var picture: (name: String, description: String)?
    var status = Article.Status.published

    /// The newest first.
    static let all = unpublished + english + korean

    private static let unpublished = [
        SampleText(
            title: "Ten ways to use stale bread", summary: "Nothing is thrown away.",
            body: "Croutons, soup, pudding: a list that is *not finished*.", tags: ["Baking"],
            status: .draft),
        SampleText(
            title: "The ferry that runs on batteries",
            summary: "A quiet morning in the harbour of the future.",
            body: "At six the ramp comes down, and nothing rumbles.", authors: [2],
            tags: ["Harbour", "Technology"], status: .scheduled),
    ]

    private static let english = [
        SampleText(
            title: "Rye bread for beginners", summary: "Three days of patience, an hour of work.",
            body: """
                Rye needs *time*, not strength.

                ## The starter

                Mix flour and water, cover the bowl, and wait until it bubbles. Feed it every \
                evening.

                ## The loaf

                Bake it dark. It is better on the second day.
                """, tags: ["Baking", "Bread"],
            picture: ("rye", "A dark loaf on a wooden board")),
        SampleText(
            title: "Which flour is which", summary: "What the numbers on the bag mean.",
            body: "The number is the ash: what is left when a sample of the flour is burnt.\n\n"
                + "- A low number is a white flour.\n- A high one has more of the grain.",
            tags: ["Baking"]),
        SampleText(
            title: "How to fix a flat tyre", summary: "Ten minutes, two levers and a patch.",
            body: "Find the hole first: hold the tube under **water**, and look for bubbles.",
            authors: [1], tags: ["Bicycles", "Repairs"],
            picture: ("tyre", "Two hands holding a tube under water")),
        SampleText(
            title: "A chain lasts longer than you think",
            summary: "Cleaning it costs less than replacing it.",
            body: "Wipe it, oil it, wipe it again. What you can see does not lubricate.",
            authors: [1], tags: ["Bicycles"]),
        SampleText(
            title: "Letters from the harbour", summary: "The tide table is the only clock here.",
            body: "The boats leave with the water, not with the hour. *I have learnt to wait.*",
            authors: [2], tags: ["Harbour"], picture: ("harbour", "Boats at low tide")),
        SampleText(
            title: "What the lighthouse keeper knows",
            summary: "An afternoon with the last one of the coast.",
            body: "He counts ships as others count sheep, and he has never lost one.",
            authors: [2, 0], tags: ["Harbour", "People"]),
        SampleText(
            title: "Cycling along the coast", summary: "Four days, three ferries, one hill.",
            body: "Take the *early* ferry. The wind comes up at noon, and it comes from the front.",
            authors: [1, 2], tags: ["Bicycles", "Harbour", "Travel"],
            picture: ("coast", "A road beside the sea")),
        SampleText(
            title: "The oven is a tool", summary: "Why a stone is worth its weight.",
            body: "Heat is not temperature. A stone keeps *heat*, and gives it to the bread.",
            tags: ["Baking", "Technology"]),
    ]

    private static let korean = [
        SampleText(
            title: "처음 굽는 호밀빵", summary: "사흘을 기다리면 빵이 됩니다.",
            body: "호밀은 힘이 아니라 *시간*이 필요합니다.\n\n반죽을 덮어 두고 기다리세요.",
            language: "ko", tags: ["빵", "Baking"], picture: ("rye", "나무 도마 위의 호밀빵")),
        SampleText(
            title: "자전거로 떠나는 아침", summary: "강을 따라 달리는 한 시간.",
            body: "아침 공기는 차갑고 길은 비어 있습니다. 천천히 달려도 괜찮습니다.",
            language: "ko", authors: [1], tags: ["자전거"]),
    ]
}
