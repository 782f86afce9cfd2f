import ArticleAPI
import ArticleStore
import BroadsheetTestSupport
import Glibc
import Testing

@testable import ArticleDatabase

/// The accounts that a backup revives.
@Suite struct RestoredAccountsTests {
    private let folder: TemporaryFolder
    private let path: String
    private let copy: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("a.db")
        copy = folder.file("copy.db")
    }

    /// Creates a database with these accounts.
    private func create(
        _ path: String, _ users: [UserRecord], disabled: Set<String> = []
    ) async throws {
        let store = try SQLiteStore.open(path: path, mode: .create)
        for user in users {
            try await store.createUser(user, using: nil, at: .start)
            guard disabled.contains(user.name) else { continue }
            _ = try await store.updateUser(
                user.id, expecting: nil, UserChange(isDisabled: true), at: .start)
        }
        await store.close()
    }

    private func revived() throws -> RestoredAccounts {
        _ = try SQLiteStore.settle(copy: copy)
        return try DatabaseReplacement(path: path).revivedAccounts(in: copy)
    }

    @Test func `accounts that could not be used, or had a lower role, are found`() async throws {
        let names = ["deleted", "disabled", "demoted", "raised", "kept", "off", "odd"]
        let users = names.enumerated().map { index, name in
            UserRecord.sample(name, id: UserRecord.ID(at: .start + Int64(index)), role: "editor")
        }
        try await create(copy, users, disabled: ["off"])
        var later = Array(users.dropFirst())
        later[1].role = "reader"
        later[2].role = "admin"
        later[5].role = "publisher"
        later.append(.sample("new"))
        try await create(path, later, disabled: ["disabled"])
        let found = try revived()
        #expect(found.first.map(\.user.name) == ["deleted", "disabled", "demoted", "odd"])
        let reasons: [RestoredAccounts.Reason] = [
            .missing, .disabled, .role("reader"), .role("publisher"),
        ]
        #expect(found.first.map(\.reason) == reasons && found.others == 0)
    }

    @Test func `the first ones are listed, and the others counted`() async throws {
        let most = RestoredAccounts.most
        try await create(copy, (0..<most + 3).map { .sample("u\($0)") })
        try await create(path, [])
        let found = try revived()
        #expect(found.first.count == most && found.others == 3)
    }

    @Test func `an unreadable database says nothing, and without one nothing is revived`()
        async throws
    {
        try await create(copy, [.sample("ada")])
        #expect(try revived().first.isEmpty)
        try FileBytes.write(Array("A shopping list.\n".utf8), to: path)
        #expect(try revived().first.map(\.reason) == [.unreadable])
    }
}
