import ArticleAPI
import ArticleStore
import BroadsheetTestSupport
import Testing

@testable import ArticleDatabase

@Suite(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct PostgresStatementTests {
    private func connect() throws -> Connection {
        let address = try PostgresServer.shared.newSchema()
        return Connection(.postgres(try PostgresSession(address, settings: [])))
    }

    /// `#expect` cannot take apart an expression with a noncopyable value.
    private func check(_ holds: Bool, at location: SourceLocation = #_sourceLocation) {
        #expect(holds, sourceLocation: location)
    }

    @Test func `values of each type survive`() throws {
        let connection = try connect()
        let id = Article.ID(at: .start)
        let row = try connection.statement(
            "SELECT ?1::bigint, ?2::text, ?3::bytea, ?4::float8, ?5::bytea, ?6::bigint")
        try row.bind(1, Int64.min)
        try row.bind(2, "흐르는 물 \u{1F30A}")
        try row.bind(3, [0, 255, 7])
        try row.bind(4, 0.1)
        try row.bind(5, id)
        try row.bind(6, Int64?.none)
        check(try row.step())
        check(row.integer(0) == .min)
        check(row.text(1) == "흐르는 물 \u{1F30A}")
        check(row.bytes(2) == [0, 255, 7])
        check(row.optionalReal(3) == 0.1)
        check(try row.identifier(4) == id)
        check(row.isNull(5))
        check(try !row.step())
    }

    /// The error of a statement, after the session was changed by another one.
    private func error(
        _ statement: String, isPreparedBefore: Bool
    ) throws -> String {
        let sql: StaticString = "SELECT 1::bigint"
        let address = try PostgresServer.shared.newSchema()
        let session = try PostgresSession(address, settings: [])
        let connection = Connection(.postgres(session))
        if isPreparedBefore { check(try connection.statement(sql).step()) }
        _ = try session.run(statement)
        do {
            _ = try connection.statement(sql).step()
            return "none"
        } catch { return "\(error)" }
    }

    @Test func `what happens behind a pooler that shares sessions says so`() throws {
        let there = try error("PREPARE s0 AS SELECT 1", isPreparedBefore: false)
        #expect(there.contains("42P05") && there.contains("has to be in session mode"))
        let gone = try error("DEALLOCATE ALL", isPreparedBefore: true)
        #expect(gone.contains("26000") && gone.contains("has to be in session mode"))
    }

    @Test func `a pooler that shares sessions is a mistake, not an outage`() throws {
        let address = try PostgresAddress("postgresql://host/name")
        for (state, message) in [
            ("42P05", "prepared statement \"s0\" already exists"),
            ("08P01", "transaction blocks not allowed in statement pooling mode"),
        ] {
            let error = StoreError(sqlState: state, message: message)
            #expect(error.reason.hasSuffix("has to be in session mode"))
            guard case .unsuitable = StoreOpeningError(error, of: address) else {
                Issue.record("\(StoreOpeningError(error, of: address))")
                continue
            }
        }
        let broken = StoreError(sqlState: "08P01", message: "invalid message format")
        guard case .unreachable = StoreOpeningError(broken, of: address) else {
            Issue.record("\(StoreOpeningError(broken, of: address))")
            return
        }
    }

    @Test func `empty texts and bytes are not NULL`() throws {
        let connection = try connect()
        let row = try connection.statement("SELECT ?1::text, ?2::bytea")
        try row.bind(1, "")
        try row.bind(2, [UInt8]())
        check(try row.step())
        check(!row.isNull(0) && row.text(0) == "")
        check(!row.isNull(1) && row.bytes(1) == [])
    }

    @Test(arguments: [
        "\0", "a\0b\0", "\u{10FFFF}", "\u{10FFFF}0", "\u{10FFFF}1\0", "\0\u{10FFFF}\u{10FFFF}0",
        "\u{10FFFE}", "plain",
    ])
    func `any text survives, with NUL and the escape, too`(text: String) throws {
        let connection = try connect()
        let row = try connection.statement("SELECT ?1::text")
        try row.bind(1, text)
        check(try row.step())
        check(row.text(0).utf8.elementsEqual(text.utf8))
    }

    @Test(
        arguments: [0, 1, 31, 32, 33, 127, 128, 129, 544, 640, 641, 2_000], [nil, 26, 101, 1_000])
    func `a query without a limit returns every row once, in its order`(
        count: Int, expected: Int?
    ) throws {
        let connection = try connect()
        try connection.execute(script: "CREATE TABLE numbers (number bigint PRIMARY KEY); BEGIN")
        for number in 0..<count {
            let row = try connection.statement("INSERT INTO numbers (number) VALUES (?1)")
            try row.bind(1, number)
            try row.run()
        }
        // It runs again within itself.
        let outer = try connection.statement(
            "SELECT number FROM numbers WHERE number >= ?1 ORDER BY number")
        try outer.bind(1, 0)
        if let expected { outer.expect(expected) }
        var found: [Int64] = []
        while try outer.step() {
            found.append(outer.integer(0))
            guard found.count == 1 else { continue }
            let inner = try connection.statement(
                "SELECT number FROM numbers WHERE number >= ?1 ORDER BY number")
            try inner.bind(1, count - 1)
            check(try inner.step())
            check(try !inner.step())
        }
        #expect(found == (0..<Int64(count)).map { $0 })
        try connection.execute(script: "COMMIT")
    }

    @Test func `a failure names the statement's problem but not the values of rows`() throws {
        let connection = try connect()
        try connection.execute(script: "CREATE TABLE texts (text text PRIMARY KEY)")
        func insert() throws(StoreError) {
            let row = try connection.statement("INSERT INTO texts (text) VALUES (?1)")
            try row.bind(1, "secret@example.org")
            try row.run()
        }
        try insert()
        #expect {
            try insert()
        } throws: { error in
            guard case .corrupt(let text)? = error as? StoreError else { return false }
            return text.contains("23505") && !text.contains("secret")
        }
    }

    @Test func `a write that fails in a transaction is thrown before anything else is done`()
        throws
    {
        let connection = try connect()
        try connection.execute(
            script: "CREATE TABLE numbers (number bigint PRIMARY KEY); BEGIN; SAVEPOINT step")
        let count: StaticString = "SELECT count(*) FROM numbers"
        func insert(_ numbers: ClosedRange<Int>) throws(StoreError) {
            for number in numbers {
                let row = try connection.statement("INSERT INTO numbers (number) VALUES (?1)")
                try row.bind(1, number)
                try row.run()
            }
        }
        try insert(1...200)
        check(connection.changedRows == 1 && connection.totalChangedRows == 200)
        try insert(200...201)
        #expect {
            let row = try connection.statement(count)
            _ = try row.step()
        } throws: { error in
            guard case .corrupt(let text)? = error as? StoreError else { return false }
            return text.contains("23505")
        }
        check(connection.isInTransaction && !connection.canCommit)
        try connection.execute(SQL.rollbackToSavepoint)
        try insert(7...9)
        try connection.settle()
        check(connection.canCommit)
        // What failed and is rolled back is not thrown by what follows.
        try insert(9...9)
        try connection.execute(SQL.rollbackToSavepoint)
        try insert(5...6)
        try connection.execute(SQL.commit)
        let row = try connection.statement(count)
        check(try row.step())
        check(row.integer(0) == 2)
    }

    @Test func `writes outside of a transaction are done one by one`() throws {
        let connection = try connect()
        try connection.execute(script: "CREATE TABLE numbers (number bigint PRIMARY KEY)")
        for number in [1, 2, 1, 3] {
            let row = try connection.statement("INSERT INTO numbers (number) VALUES (?1)")
            try row.bind(1, number)
            try? row.run()
        }
        let row = try connection.statement("SELECT count(*) FROM numbers")
        check(try row.step())
        check(row.integer(0) == 3)
    }
}
