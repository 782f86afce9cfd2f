import Testing

@testable import ArticleClient

/// Simulates results of the keychain; the `SecItem…` functions themselves are not tested here.
@Suite struct KeychainTests {
    /// An item with scripted results for each function.
    private final class ScriptedKeychainItem: KeychainItem {
        struct State {
            var bytes: [UInt8]?
            var statuses: [String: [Int32]]
            var calls: [String] = []
        }
        let state: Locked<State>

        init(_ bytes: [UInt8]? = nil, _ statuses: [String: [Int32]] = [:]) {
            state = Locked(State(bytes: bytes, statuses: statuses))
        }

        var calls: [String] { state.withLock { $0.calls } }

        private func play(_ call: String, _ work: (inout State) -> Int32) -> Int32 {
            state.withLock { state in
                state.calls.append(call)
                if var played = state.statuses[call], !played.isEmpty {
                    let status = played.removeFirst()
                    state.statuses[call] = played
                    return status
                }
                return work(&state)
            }
        }

        func copy() -> (status: Int32, bytes: [UInt8]?) {
            var bytes: [UInt8]?
            let status = play("copy") { state in
                bytes = state.bytes
                return bytes == nil ? KeychainStatus.itemNotFound : 0
            }
            return (status, bytes)
        }

        func update(_ bytes: [UInt8]) -> Int32 {
            play("update") { state in
                guard state.bytes != nil else { return KeychainStatus.itemNotFound }
                state.bytes = bytes
                return 0
            }
        }

        func add(_ bytes: [UInt8]) -> Int32 {
            play("add") { state in
                guard state.bytes == nil else { return KeychainStatus.duplicateItem }
                state.bytes = bytes
                return 0
            }
        }

        func delete() -> Int32 {
            play("delete") { state in
                defer { state.bytes = nil }
                return state.bytes == nil ? KeychainStatus.itemNotFound : 0
            }
        }
    }

    private let credentials = Credentials(token: "a", refreshToken: "b")

    @Test func `credentials are added, replaced, read and removed`() throws {
        let item = ScriptedKeychainItem()
        let store = KeychainItemStore(item: item)
        #expect(try store.load() == nil)
        try store.save(Credentials(token: "first"))
        try store.save(credentials)
        #expect(try store.load() == credentials)
        try store.remove()
        try store.remove()
        #expect(try store.load() == nil)
        #expect(item.calls.filter { $0 == "add" }.count == 1)
    }

    @Test func `an item that is added concurrently is updated`() throws {
        let item = ScriptedKeychainItem([1], ["update": [KeychainStatus.itemNotFound]])
        let store = KeychainItemStore(item: item)
        try store.save(credentials)
        #expect(item.calls == ["update", "add", "update"])
        #expect(try store.load() == credentials)
    }

    @Test(arguments: [
        (KeychainStatus.interactionNotAllowed, CredentialStoreError.Kind.locked),
        (KeychainStatus.missingEntitlement, .notEntitled), (-25293, .failed), (-50, .failed),
    ])
    func `errors of the keychain are distinguishable`(
        status: Int32, kind: CredentialStoreError.Kind
    ) throws {
        let item = ScriptedKeychainItem(
            nil, ["copy": [status], "update": [status], "delete": [status]])
        let store = KeychainItemStore(item: item)
        let errors = [
            #expect(throws: CredentialStoreError.self) { try store.load() },
            #expect(throws: CredentialStoreError.self) { try store.save(credentials) },
            #expect(throws: CredentialStoreError.self) { try store.remove() },
        ]
        for error in errors {
            #expect(error?.kind == kind)
            #expect(error?.description.contains("\(status)") == true)
        }
        // The next one is not kept from trying.
        #expect(try store.load() == nil)
    }

    @Test func `an item that holds something else is damaged`() {
        let error = #expect(throws: CredentialStoreError.self) {
            try KeychainItemStore(item: ScriptedKeychainItem([1, 2, 3])).load()
        }
        #expect(error?.kind == .damaged)
    }
}
