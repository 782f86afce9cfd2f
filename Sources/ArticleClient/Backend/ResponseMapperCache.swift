import ArticleAPI

/// The mappers of a service, one for each type of item: some take longer to make than to use.
final class ResponseMapperCache: Sendable {
    private final class Kept<Item: ResponseItem>: Sendable {
        let mapper = ResponseMapper<Item>()
    }
    /// Bounded by the number of item types.
    private let kept = Locked([ObjectIdentifier: any AnyObject & Sendable]())

    func mapper<Item: ResponseItem>(for _: Item.Type) -> ResponseMapper<Item> {
        let type = ObjectIdentifier(Item.self)
        let found = kept.withLock { $0[type] }
        if let found = found as? Kept<Item> { return found.mapper }
        let new = Kept<Item>()
        kept.withLock { $0[type] = new }
        return new.mapper
    }
}
