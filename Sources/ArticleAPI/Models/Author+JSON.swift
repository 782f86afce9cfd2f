extension Author: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("id", \.id, .identifier()),
        .required("name", \.name, .text(.line(ArticleLimits.authorName))),
        .required("about", \.about, .text(.lines(ArticleLimits.about))),
        .optional("website", \.website, .text(.webAddress)),
        .required("createdAt", \.createdAt, .timestamp),
        .required("updatedAt", \.updatedAt, .timestamp),
        .required("revision", \.revision, .integer(1...Int.max)),
        .optional("version", \.version, .text(.version)))
}

extension Author.Replacement: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .optional("id", \.id, .identifier()),
        .required("name", \.name, .text(.line(ArticleLimits.authorName))),
        .defaulted("about", to: "", \.about, .text(.lines(ArticleLimits.about))),
        .optional("website", \.website, .text(.webAddress)),
        .optional("createdAt", \.createdAt, .timestamp),
        .optional("updatedAt", \.updatedAt, .timestamp),
        .optional("revision", \.revision, .integer(1...Int.max)),
        .optional("version", \.version, .text(.version)))
}
