extension Author: JSONModel {
    public static let shape = ObjectShape(
        Self.init,
        .required("id", \.id, .text(.identifier())),
        .required("name", \.name, .text(.line(ArticleLimits.authorName))),
        .required("about", \.about, .text(.lines(ArticleLimits.about))),
        .optional("website", \.website, .text(.webAddress)),
        .required("createdAt", \.createdAt, .text(.timestamp)),
        .required("updatedAt", \.updatedAt, .text(.timestamp)),
        .required("revision", \.revision, .integer(1...Int.max)))
}

extension Author.Replacement: JSONModel {
    public static let shape = ObjectShape(
        Self.init,
        .optional("id", \.id, .text(.identifier())),
        .required("name", \.name, .text(.line(ArticleLimits.authorName))),
        .defaulted("about", to: "", \.about, .text(.lines(ArticleLimits.about))),
        .optional("website", \.website, .text(.webAddress)),
        .optional("createdAt", \.createdAt, .text(.timestamp)),
        .optional("updatedAt", \.updatedAt, .text(.timestamp)),
        .optional("revision", \.revision, .integer(1...Int.max)))
}
