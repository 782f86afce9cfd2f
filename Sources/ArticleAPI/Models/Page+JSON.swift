extension Page: JSONRepresentable, ResponseItem, Decodable, Encodable
where Item: JSONRepresentable {
    /// `{"items": […], "next": "<cursor>", "count": {…}}`; `fields` chooses among the attributes of
    /// the items.
    public static var format: JSONCodec<Page> {
        let items = JSONCodec.array(of: Item.format, atMost: ArticleLimits.page.upperBound)
        let shape = ObjectCodec<Page>(
            Page.init,
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
        Self.init,
        .required("value", \.value, .integer(0...ArticleLimits.count)),
        .required("isExact", \.isExact, .boolean))
}
