public import ArticleAPI

/// A model that a store keeps, merges, lists and observes by its id.
///
/// Responses may have some of its attributes: what is known of them is merged (``ModelFacts``).
///
/// ```swift
/// extension Note: StorableModel {
///     static let storedForm = StoredForm("Note", shape)
/// }
/// ```
///
/// If it has a number that each change increments, named `revision` unless its form says otherwise,
/// this number orders the states of a model. Without one, the state that was requested last is the
/// newest.
public protocol StorableModel: JSONModel, Identifiable where ID: StorableID {
    /// The same value each time: a `static let`.
    static var storedForm: StoredForm { get }
}

extension Article: StorableModel {
    public static let storedForm = StoredForm("Article", shape, omittedInLists: omittedInLists)
}

extension Author: StorableModel {
    public static let storedForm = StoredForm("Author", shape)
}

extension ArticleComment: StorableModel {
    public static let storedForm = StoredForm("Comment", shape, omittedInLists: ["bodyHTML"])
}

extension ArticleTag.Usage: StorableModel {
    public static let storedForm = StoredForm("TagUsage", shape)
}

extension User: StorableModel {
    public static let storedForm = StoredForm("User", shape)
}

extension Bookmark: StorableModel {
    public static let storedForm = StoredForm("Bookmark", shape)
}
