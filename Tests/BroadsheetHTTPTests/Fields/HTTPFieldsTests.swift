import BroadsheetHTTP
import Testing

@Suite struct HTTPFieldsTests {
    private func wire(_ fields: HTTPFields) -> String {
        String(decoding: fields.wireBytes, as: UTF8.self)
    }

    @Test func `fields keep their order and are stored in wire format`() {
        var fields = HTTPFields()
        #expect(fields.isEmpty)
        fields.append(.vary, "Accept")
        fields.append(.etag, "\"1\"")
        fields.append(.vary, "Origin")
        #expect(wire(fields) == "Vary: Accept\r\nETag: \"1\"\r\nVary: Origin\r\n")
        #expect(fields.count == 3)
        #expect(fields.all.map(\.name) == ["Vary", "ETag", "Vary"])
        #expect(fields.all.map(\.value) == ["Accept", "\"1\"", "Origin"])
    }

    @Test func `names are case-insensitive`() throws {
        var fields = HTTPFields()
        fields.append(try #require(HTTPFieldName("X-THING")), "a")
        fields.append(try #require(HTTPFieldName("x-thing")), "b")
        let name = try #require(HTTPFieldName("X-Thing"))
        #expect(fields[name] == "a")
        #expect(fields.values(of: name) == ["a", "b"])
        #expect(fields.combined(name) == "a, b")
        #expect(fields.contains(name))
        #expect(Set([name, try #require(HTTPFieldName("x-thinG"))]).count == 1)
    }

    @Test func `an absent field is not an empty one`() {
        let fields: HTTPFields = [.accept: ""]
        #expect(fields[.accept] == "")
        #expect(fields[.vary] == nil)
        #expect(fields.combined(.vary) == nil)
        #expect(fields.values(of: .vary).isEmpty)
        #expect(!fields.contains(.vary))
    }

    @Test(arguments: [
        "a\r\nSet-Cookie: b", "a\n", "\r", "a\0b", "\u{1B}[0m", "\u{7F}", "a\u{B}b", "\u{1F}",
    ])
    func `no value can split a response`(value: String) {
        var fields: HTTPFields = [.location: "/a"]
        let before = fields
        let isAppended = fields.append(.location, value)
        let isSet = fields.set(.location, to: value)
        #expect(!isAppended && !isSet)
        fields[.location] = value
        #expect(fields == before)
        #expect(wire(fields) == "Location: /a\r\n")
        #expect(HTTPFields(dictionaryLiteral: (.location, value)).isEmpty)
    }

    @Test func `a rejected value is remembered by copies and merges`() {
        let bad = "a\r\nb: c"
        var appended = HTTPFields()
        appended.append(.location, bad)
        var assigned: HTTPFields = [.location: "/a"]
        assigned[.location] = bad
        let written: HTTPFields = [.location: bad, .etag: "x"]
        for fields in [appended, assigned, written] {
            #expect(fields.rejectedName == "Location")
            for join in Self.joins {
                var others: HTTPFields = [.etag: "x"]
                join(&others, fields)
                others.remove(.etag)
                #expect(others.rejectedName == "Location")
                others.removeAll(except: [])
                #expect(others.hasRejectedValue)
                others.removeAll()
                #expect(!others.hasRejectedValue)
            }
        }
        #expect(!HTTPFields(dictionaryLiteral: (.location, "/a")).hasRejectedValue)
    }

    private static let joins: [@Sendable (inout HTTPFields, HTTPFields) -> Void] = [
        { $0.append(contentsOf: $1) }, { $0.appendMissing(from: $1) }, { $0.replace(by: $1) },
    ]

    @Test func `fields are merged by name, ignoring case`() throws {
        let lowercase = try #require(HTTPFieldName("vary"))
        let own: HTTPFields = [.vary: "a", .etag: "x", .vary: "b"]
        let other: HTTPFields = [lowercase: "c", .age: "1", .age: "2", lowercase: "d"]
        var missing = own
        missing.appendMissing(from: other)
        #expect(wire(missing) == "Vary: a\r\nETag: x\r\nVary: b\r\nAge: 1\r\nAge: 2\r\n")
        #expect(missing.values(of: .age) == ["1", "2"])
        var replaced = own
        replaced.replace(by: other)
        #expect(wire(replaced) == "ETag: x\r\nvary: c\r\nAge: 1\r\nAge: 2\r\nvary: d\r\n")
        #expect(replaced.values(of: .vary) == ["c", "d"])
        replaced.removeAll(except: [.vary, .etag])
        #expect(wire(replaced) == "ETag: x\r\nvary: c\r\nvary: d\r\n")
        #expect(replaced.values(of: .vary) == ["c", "d"] && replaced[.etag] == "x")
    }

    @Test(arguments: ["", "a b", "a:", "a\r\n", "é", "a\0", "(a)", "\u{212A}"])
    func `a name is a token`(name: String) {
        #expect(HTTPFieldName(name) == nil)
    }

    @Test func `surrounding white space is trimmed from a value`() {
        var fields = HTTPFields()
        fields.append(.server, " \ta b\t ")
        fields.append(.vary, " ")
        #expect(fields[.server] == "a b")
        #expect(fields[.vary] == "")
        #expect(wire(fields) == "Server: a b\r\nVary: \r\n")
    }

    @Test func `setting replaces all fields of the name`() {
        var fields: HTTPFields = [.vary: "a", .etag: "\"1\"", .server: "s"]
        fields.append(.vary, "b")
        fields[.vary] = "c"
        #expect(fields.all.map(\.name) == ["ETag", "Server", "Vary"])
        #expect(fields[.vary] == "c")
        fields[.etag] = nil
        #expect(wire(fields) == "Server: s\r\nVary: c\r\n")
        #expect(fields[.server] == "s")
        fields.removeAll()
        #expect(fields.isEmpty && fields.wireBytes.isEmpty)
    }

    @Test func `a copy is independent of the original`() {
        let before: HTTPFields = [.vary: "a"]
        var after = before
        after.append(.etag, "\"1\"")
        after[.vary] = "b"
        #expect(before[.vary] == "a")
        #expect(before.count == 1)
    }

    @Test func `the octets of a value are lent without a copy`() {
        let fields: HTTPFields = [.etag: "\"é\"", .etag: "\"2\""]
        let octets = fields.withBytes(of: .etag) { span in
            span.indices.map { span[$0] }
        }
        #expect(octets == Array("\"é\"".utf8))
        #expect(fields.withBytes(of: .vary) { $0.count } == nil)
    }

    @Test func `a token is found in a list, ignoring ASCII case`() {
        var fields: HTTPFields = [.connection: "upgrade,\tKeep-Alive ,x"]
        fields.append(.connection, "Close")
        #expect(fields.list(.connection, has: "keep-alive"))
        #expect(fields.list(.connection, has: "close"))
        #expect(!fields.list(.connection, has: "keep"))
        let kelvin: HTTPFields = [.connection: "\u{212A}eep-alive"]
        #expect(!kelvin.list(.connection, has: "keep-alive"))
        #expect(!fields.list(.vary, has: "x"))
    }
}
