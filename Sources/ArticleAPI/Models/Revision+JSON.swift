extension Revision: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("number", \.number, .integer(1...Int.max)),
        .required("action", \.action, .text(.action)),
        .required("title", \.title, .text(.line(ArticleLimits.title))),
        .required("status", \.status, .text(.status)),
        .required("createdAt", \.createdAt, .timestamp),
        .optional("editor", \.editor, .text(.line(1...100))))
}
