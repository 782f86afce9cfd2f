import ArticleAPI
import HTTP

/// The result of a handler: the item and the metadata for its HTTP response.
struct Reply<Item: Sendable>: Sendable {
    var item: Item
    /// The requested attributes; `nil` for the default ones.
    var fields: FieldSelection?
    /// The renderer of a part of the item: another one produces a different response.
    var renderer: String?
    /// The request that fetches the created resource: results in `Location` and 201.
    var location: (any BackendAPIRequest)?
    /// When the item last changed; `nil` if this is not disclosed.
    var changedAt: Timestamp?
    /// What a response shared by all anonymous clients depends on; `nil` if it must not be cached.
    var dependencies: Dependencies?

    init(
        _ item: Item, fields: FieldSelection? = nil, renderer: String? = nil,
        location: (any BackendAPIRequest)? = nil, changedAt: Timestamp? = nil,
        dependencies: Dependencies? = nil
    ) {
        self.item = item
        self.fields = fields
        self.renderer = renderer
        self.location = location
        self.changedAt = changedAt
        self.dependencies = dependencies
    }
}
