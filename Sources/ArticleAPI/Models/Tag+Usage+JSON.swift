extension Tag.Usage: JSONModel {
    public static let shape = ObjectCodec(
        Self.init(key:name:articleCount:),
        .required("key", \.tag.key, .text(.line(ArticleLimits.tag))),
        .required("name", \.tag.name, .text(.line(ArticleLimits.tag))),
        .required("articleCount", \.articleCount, .integer(0...Int.max)))

    private init(key: String, name: String, articleCount: Int) {
        self.init(tag: Tag(key: key, name: name), articleCount: articleCount)
    }
}
