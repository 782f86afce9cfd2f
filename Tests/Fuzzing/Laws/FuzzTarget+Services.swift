package import ParserLaws

extension FuzzTarget {
    /// Those of requests, credentials and documents, above the parsers.
    package static let services: [FuzzTarget] = [
        FuzzTarget(name: "query", brokenLaws: QueryLaws.broken),
        FuzzTarget(name: "json", brokenLaws: JSONLaws.broken),
        FuzzTarget(name: "cursor", brokenLaws: CursorLaws.broken),
        FuzzTarget(name: "key", brokenLaws: KeyLaws.broken),
        FuzzTarget(name: "session", brokenLaws: SessionLaws.broken),
        FuzzTarget(name: "token", brokenLaws: TokenLaws.broken),
        FuzzTarget(name: "post", brokenLaws: PostLaws.broken),
        FuzzTarget(name: "samples", brokenLaws: GeneratorLaws.samples),
        FuzzTarget(name: "openapi", brokenLaws: GeneratorLaws.descriptions),
        FuzzTarget(name: "wxr", brokenLaws: BlogLaws.wordPress),
        FuzzTarget(name: "ghost", brokenLaws: BlogLaws.ghost),
    ]

    package static let all = parsers + services
}
