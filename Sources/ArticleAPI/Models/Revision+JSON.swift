extension Revision: JSONModel {
    public static let shape = ObjectCodec(
        {
            (
                number: Int, action: Action, title: String, status: Article.Status,
                createdAt: Timestamp, editor: String?, actor: Actor?
            ) in
            // Servers before actors sent the name alone.
            Revision(
                number: number, action: action, title: title, status: status,
                createdAt: createdAt, actor: actor ?? Actor(kind: .unrecorded, name: editor))
        },
        .required("number", \.number, .integer(1...Int.max)),
        .required("action", \.action, .text(.action)),
        .required("title", \.title, .text(.line(ArticleLimits.title))),
        .required("status", \.status, .text(.status)),
        .required("createdAt", \.createdAt, .timestamp),
        .optional("editor", \.editor, .text(.actorName)),
        .optional("actor", { @Sendable in $0.actor }, Actor.format))
}

extension Revision.Actor: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("kind", \.kind, .text(.actorKind)),
        .optional("id", \.id, .text(.line(1...100))),
        .optional("name", \.name, .text(.actorName)))
}

extension TextCodec where Value == String {
    /// The name of a key or a person.
    fileprivate static var actorName: TextCodec { .line(1...200) }
}
