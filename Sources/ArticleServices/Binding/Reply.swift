import ArticleAPI
import HTTP

/// What a handler gives back: the item, and what HTTP has to say of it.
struct Reply<Item: Sendable>: Sendable {
    var item: Item
    /// Which attributes the caller asked for; `nil` for the usual ones.
    var fields: FieldSelection?
    /// What rendered a part of the item: another one makes it another answer.
    var renderer: String?
    /// The request that fetches what was made: `Location`, and 201.
    var location: (any BackendAPIRequest)?
    /// When what it shows last changed; `nil` where nobody is told.
    var changedAt: Timestamp?
    /// What it is made of, where strangers all get the same; `nil`: it is made each time.
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
