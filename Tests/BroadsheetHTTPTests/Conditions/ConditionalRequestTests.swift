import BroadsheetHTTP
import Testing

/// The representation is `"2-x"`, last modified on 06 Nov 1994 at 08:49:37.
@Suite struct ConditionalRequestTests {
    private static let modified: Int64 = 784_111_777
    private static let same = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
    private static let after = "Sun, 06 Nov 1994 08:49:38 GMT"

    private func outcome(
        _ fields: [HTTPFieldName: String], tag: String? = "\"2-x\"",
        modified: Int64? = Self.modified
    ) -> ConditionalRequest.Outcome {
        var all = HTTPFields()
        for (name, value) in fields { all[name] = value }
        let etag = tag.flatMap { EntityTag($0) }
        return ConditionalRequest.outcome(all, etag: etag, lastModified: modified) {
            etag.map($0.stronglyMatches) ?? false
        }
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
            // If-None-Match alone decides.
            ([.ifNoneMatch: "\"1\"", .ifModifiedSince: same], .proceed),
            ([.ifNoneMatch: "2-x", .ifModifiedSince: same], .proceed),
            ([.ifNoneMatch: "\"2-x\"", .ifModifiedSince: before], .notModified),
            ([.ifModifiedSince: same], .notModified),
            ([.ifModifiedSince: after], .notModified),
            ([.ifModifiedSince: before], .proceed),
            ([.ifModifiedSince: "yesterday"], .proceed),
            ([.ifMatch: "\"2-x\""], .proceed),
            ([.ifMatch: "*"], .proceed),
            ([.ifMatch: "W/\"2-x\""], .preconditionFailed(.ifMatch)),
            ([.ifMatch: "\"1\""], .preconditionFailed(.ifMatch)),
            ([.ifMatch: "2-x"], .preconditionFailed(.ifMatch)),
            // If-Match takes precedence over If-Unmodified-Since, and both over the others.
            ([.ifMatch: "\"2-x\"", .ifUnmodifiedSince: before], .proceed),
            ([.ifMatch: "\"2-x\"", .ifNoneMatch: "\"2-x\""], .notModified),
            ([.ifMatch: "\"1\"", .ifNoneMatch: "\"2-x\""], .preconditionFailed(.ifMatch)),
            ([.ifUnmodifiedSince: same], .proceed),
            ([.ifUnmodifiedSince: before], .preconditionFailed(.ifUnmodifiedSince)),
            ([.ifUnmodifiedSince: "yesterday"], .proceed),
        ] as [([HTTPFieldName: String], ConditionalRequest.Outcome)])
    func `conditions of GET and HEAD are evaluated according to RFC 9110`(
        fields: [HTTPFieldName: String], expected: ConditionalRequest.Outcome
    ) {
        #expect(outcome(fields) == expected)
    }

    @Test func `a response without validators meets no condition that compares them`() {
        #expect(outcome([.ifNoneMatch: "\"a\""], tag: nil) == .proceed)
        #expect(outcome([.ifModifiedSince: Self.same], modified: nil) == .proceed)
        #expect(outcome([.ifUnmodifiedSince: Self.before], modified: nil) == .proceed)
        #expect(outcome([.ifMatch: "\"a\""], tag: nil) == .preconditionFailed(.ifMatch))
    }

    @Test func `the caller decides what If-Match compares`() {
        let fields: HTTPFields = [.ifMatch: "\"2-y\"", .ifNoneMatch: "\"2-y\""]
        let outcome = ConditionalRequest.outcome(
            fields, etag: EntityTag("\"2-x\""), lastModified: nil
        ) { $0.value.hasPrefix("2-") }
        #expect(outcome == .proceed)
    }

    @Test func `preconditions are found at any position`() {
        #expect(!ConditionalRequest.hasPreconditions([.ifNoneMatch: "*", .ifModifiedSince: "x"]))
        #expect(ConditionalRequest.hasPreconditions([.accept: "a/b", .ifMatch: "*"]))
        #expect(ConditionalRequest.hasPreconditions([.ifUnmodifiedSince: "x"]))
    }

    @Test func `tags in several fields form one list`() {
        var fields = HTTPFields()
        fields.append(.ifNoneMatch, "\"1\"")
        fields.append(.ifNoneMatch, "\"2\"")
        let tag = EntityTag("\"2\"")
        #expect(Freshness.isNotModified(fields, etag: tag, lastModified: nil))
    }
}
