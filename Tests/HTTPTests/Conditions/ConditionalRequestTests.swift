import HTTP
import Testing

/// The representation is `"2-x"`, of 06 Nov 1994 08:49:37.
@Suite struct ConditionalRequestTests {
    private static let modified: Int64 = 784_111_777
    private static let same = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
    private static let after = "Sun, 06 Nov 1994 08:49:38 GMT"

    private func outcome(
        _ method: HTTPMethod, _ fields: [HTTPFieldName: String], tag: String? = "\"2-x\"",
        modified: Int64? = Self.modified, exists: Bool = true
    ) -> ConditionalRequest.Outcome {
        var all = HTTPFields()
        for (name, value) in fields { all[name] = value }
        return ConditionalRequest.outcome(
            method, all, etag: tag.flatMap { EntityTag($0) }, lastModified: modified,
            exists: exists)
    }

    @Test(
        arguments: [
            ([:], .proceed),
            ([.ifNoneMatch: "\"2-x\""], .notModified),
            ([.ifNoneMatch: "W/\"2-x\""], .notModified),
            ([.ifNoneMatch: "\"1\", \"2-x\""], .notModified),
            ([.ifNoneMatch: "*"], .notModified),
            ([.ifNoneMatch: "\"1\""], .proceed),
            ([.ifNoneMatch: "2-x"], .proceed),
            // If-None-Match decides alone.
            ([.ifNoneMatch: "\"1\"", .ifModifiedSince: same], .proceed),
            ([.ifNoneMatch: "2-x", .ifModifiedSince: same], .proceed),
            ([.ifNoneMatch: "\"2-x\"", .ifModifiedSince: before], .notModified),
            ([.ifModifiedSince: same], .notModified),
            ([.ifModifiedSince: after], .notModified),
            ([.ifModifiedSince: before], .proceed),
            ([.ifModifiedSince: "yesterday"], .proceed),
            ([.ifMatch: "\"2-x\""], .proceed),
            ([.ifMatch: "*"], .proceed),
            ([.ifMatch: "W/\"2-x\""], .preconditionFailed),
            ([.ifMatch: "\"1\""], .preconditionFailed),
            ([.ifMatch: "2-x"], .preconditionFailed),
            // If-Match goes before If-Unmodified-Since, and both before the others.
            ([.ifMatch: "\"2-x\"", .ifUnmodifiedSince: before], .proceed),
            ([.ifMatch: "\"2-x\"", .ifNoneMatch: "\"2-x\""], .notModified),
            ([.ifMatch: "\"1\"", .ifNoneMatch: "\"2-x\""], .preconditionFailed),
            ([.ifUnmodifiedSince: same], .proceed),
            ([.ifUnmodifiedSince: before], .preconditionFailed),
            ([.ifUnmodifiedSince: "yesterday"], .proceed),
        ] as [([HTTPFieldName: String], ConditionalRequest.Outcome)])
    func `conditions of GET and HEAD come to what RFC 9110 says`(
        fields: [HTTPFieldName: String], expected: ConditionalRequest.Outcome
    ) {
        #expect(outcome(.get, fields) == expected)
        #expect(outcome(.head, fields) == expected)
    }

    @Test(
        arguments: [
            ([.ifNoneMatch: "\"2-x\""], .preconditionFailed),
            ([.ifNoneMatch: "*"], .preconditionFailed),
            ([.ifNoneMatch: "\"1\""], .proceed),
            ([.ifModifiedSince: same], .proceed),
            ([.ifMatch: "\"1\""], .preconditionFailed),
            ([.ifUnmodifiedSince: before], .preconditionFailed),
        ] as [([HTTPFieldName: String], ConditionalRequest.Outcome)])
    func `conditions of other methods never come to 304`(
        fields: [HTTPFieldName: String], expected: ConditionalRequest.Outcome
    ) {
        #expect(outcome(.put, fields) == expected)
    }

    @Test func `a star asks whether there is anything`() {
        #expect(outcome(.put, [.ifNoneMatch: "*"], tag: nil, exists: false) == .proceed)
        #expect(outcome(.get, [.ifNoneMatch: "*"], tag: nil, exists: false) == .proceed)
        #expect(outcome(.put, [.ifMatch: "*"], tag: nil, exists: false) == .preconditionFailed)
    }

    @Test func `an answer without validators meets no condition that compares them`() {
        #expect(outcome(.get, [.ifNoneMatch: "\"a\""], tag: nil) == .proceed)
        #expect(outcome(.get, [.ifModifiedSince: Self.same], modified: nil) == .proceed)
        #expect(outcome(.get, [.ifUnmodifiedSince: Self.before], modified: nil) == .proceed)
        #expect(outcome(.get, [.ifMatch: "\"a\""], tag: nil) == .preconditionFailed)
    }

    @Test func `tags in several fields are one list`() {
        var fields = HTTPFields()
        fields.append(.ifNoneMatch, "\"1\"")
        fields.append(.ifNoneMatch, "\"2\"")
        let tag = EntityTag("\"2\"")
        #expect(Freshness.isNotModified(fields, etag: tag, lastModified: nil))
    }
}
