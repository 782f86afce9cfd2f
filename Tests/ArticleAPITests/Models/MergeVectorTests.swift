import ArticleAPI
import BroadsheetTestSupport
import Foundation
import Testing

/// The merges of Golden/merge-vectors.json, which implementations in other languages pass as well.
@Suite struct MergeVectorTests {
    private static let vectors: [MergeVector] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Golden/merge-vectors.json").standardizedFileURL
        guard let data = try? Data(contentsOf: file),
            let json = try? JSONParser.parse(Array(data)), case .array(let cases) = json["cases"]
        else { preconditionFailure("programmer error: there are no vectors") }
        return cases.map(MergeVector.init)
    }()

    @Test func `there are vectors, each with a name of its own`() {
        #expect(Self.vectors.count >= 70)
        #expect(Set(Self.vectors.map(\.name)).count == Self.vectors.count)
    }

    @Test func `each vector has the expected result and conflicts`() throws {
        for vector in Self.vectors {
            try vector.check(vector.name)
            try vector.exchanged.check("\(vector.name), with the sides exchanged")
        }
    }
}

/// Two edits of one article, with the expected merge.
private struct MergeVector {
    var name: String
    var base: [String: JSONValue]
    var mine: [String: JSONValue]
    var theirs: [String: JSONValue]
    var merged: [String: JSONValue]
    var keepingMine: [String: JSONValue]?
    var keepingBoth: [String: JSONValue]?
    var conflicts: [[String: JSONValue]]

    init(_ json: JSONValue) {
        name = json["name"].text
        (base, mine, theirs) = (json["base"].members, json["mine"].members, json["theirs"].members)
        merged = json["merged"].members
        keepingMine = json["keepingMine"].optionalMembers
        keepingBoth = json["keepingBoth"].optionalMembers
        conflicts = json["conflicts"].items.map(\.members)
    }

    /// The vector with exchanged sides, as far as it says what is expected then.
    var exchanged: MergeVector {
        var other = self
        (other.mine, other.theirs) = (theirs, mine)
        (other.merged, other.keepingMine) = (keepingMine ?? merged, merged)
        other.keepingBoth = nil
        other.conflicts = conflicts.map { conflict in
            var conflict = conflict
            (conflict["mine"], conflict["theirs"]) = (conflict["theirs"], conflict["mine"])
            return conflict
        }
        return other
    }

    func check(_ name: String) throws {
        let (before, own, other) = (try article([:]), try article(mine), try article(theirs))
        let changes = Article.Changes(from: before, to: own)
        let merge = Article.Merge(base: before, mine: changes, theirs: other)
        func result(_ choice: Article.Merge.Choice) -> Article.Draft {
            other.applying(merge.changes(otherwise: choice)).draft
        }
        #expect(merge.conflicts.map(described) == conflicts, "\(name)")
        #expect(result(.theirs) == (try article(merged).draft), "\(name)")
        let kept = conflicts.isEmpty ? merged : keepingMine
        if let kept { #expect(result(.mine) == (try article(kept).draft), "\(name), mine") }
        if let keepingBoth {
            #expect(result(.both) == (try article(keepingBoth).draft), "\(name), both")
        }
    }

    private func described(_ conflict: Article.Merge.Conflict) -> [String: JSONValue] {
        switch conflict {
        case .attribute(let name): return ["attribute": .string(name)]
        case .region(let region):
            let range = [region.paragraphs.lowerBound, region.paragraphs.upperBound]
            let paragraphs = (try? JSONParser.parse(Array("\(range)".utf8))) ?? .null
            return [
                "attribute": .string("body"), "paragraphs": paragraphs,
                "base": .string(region.base), "mine": .string(region.mine),
                "theirs": .string(region.theirs),
            ]
        }
    }

    /// The base with other values of some attributes.
    private func article(_ values: [String: JSONValue]) throws -> Article {
        var content = ["title": JSONValue.string("Untitled")]
        content.merge(base) { $1 }
        content.merge(values) { $1 }
        let members = content.filter { $0.value != .null }.sorted { $0.key < $1.key }
        var writer = JSONWriter()
        JSONValue.object(members.map { JSONValue.Member(name: $0.key, value: $0.value) })
            .write(to: &writer)
        let draft = try Article.Draft(mapping: writer.bytes)
        let empty = Article(
            id: try #require(Article.ID("01890000-0000-7000-8000-000000000001")), slug: "untitled",
            title: "Untitled", body: "", language: "en", status: .draft,
            createdAt: Timestamp(milliseconds: 0), updatedAt: Timestamp(milliseconds: 0),
            wordCount: 0, readingMinutes: 0)
        return empty.applying(Article.Changes(from: empty.draft, to: draft))
    }
}

extension JSONValue {
    fileprivate subscript(name: String) -> JSONValue { members[name] ?? .null }

    fileprivate var members: [String: JSONValue] { optionalMembers ?? [:] }

    fileprivate var optionalMembers: [String: JSONValue]? {
        guard case .object(let members) = self else { return nil }
        return Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value) })
    }

    fileprivate var items: [JSONValue] { if case .array(let items) = self { items } else { [] } }

    fileprivate var text: String { if case .string(let text) = self { text } else { "" } }
}
