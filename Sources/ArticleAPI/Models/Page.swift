/// One page of a list, with the cursor of the next one.
///
/// ```swift
/// let page = try await backend.send(FetchArticlesRequest(limit: 20))
/// let isLast = page.next == nil
/// ```
public struct Page<Item: Sendable>: Sendable {
    public var items: [Item]
    /// The opaque cursor of the next page; `nil` on the last.
    public var next: String?
    /// The number of items on all pages, if it was requested.
    public var count: PageCount?

    public init(items: [Item], next: String? = nil, count: PageCount? = nil) {
        self.items = items
        self.next = next
        self.count = count
    }
}

/// The number of items on all pages of a list.
///
/// ```swift
/// let page = try await backend.send(FetchArticlesRequest(count: .exact))
/// let count = page.count.map { $0.isExact ? "\($0.value)" : "at least \($0.value)" }
/// ```
public struct PageCount: Sendable, Hashable {
    /// At most 10,000.
    public var value: Int
    /// `false` if there are at least this many: counting stopped at its limit.
    public var isExact: Bool

    public init(value: Int, isExact: Bool) {
        self.value = value
        self.isExact = isExact
    }

    /// The way in which a list's items are counted.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        case exact
    }
}

extension Page: Equatable where Item: Equatable {}

extension Page: JSONRepresentable, ResponseItem, Decodable, Encodable
where Item: JSONRepresentable {
    /// `{"items": […], "next": "<cursor>", "count": {…}}`; `fields` chooses among the attributes of
    /// the items.
    public static var format: JSONCodec<Page> {
        let items = JSONCodec.array(of: Item.format, limit: ArticleLimits.page.upperBound)
        let shape = ObjectCodec<Page>(
            named: Item.format.schema.name.map { "\($0)Page" }, Page.init,
            .required("items", \.items, items),
            .optional("next", \.next, .text(.cursor)),
            .optional("count", \.count, PageCount.format))
        return JSONCodec(
            schema: shape.schema, read: shape.read, scan: { shape.scan(&$0) },
            write: { page, plan, writer in
                let choices = plan.map { FieldPlan(choices: [.some($0), .all, .all]) }
                shape.write(page, choices, to: &writer)
            },
            check: { shape.check($0, &$1) }, fields: items.fields, plan: items.plan)
    }
}

extension PageCount: JSONModel {
    /// `{"value": 137, "isExact": true}`
    public static let shape = ObjectCodec(
        named: "PageCount", Self.init,
        .required("value", \.value, .integer(0...ArticleLimits.count)),
        .required("isExact", \.isExact, .boolean))
}

/// Decodes a page from a JSON object with `items` and an optional `next`.
public typealias PageResponseMapper<Item: JSONRepresentable> = ResponseMapper<Page<Item>>
