import ArticleAPI
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Dispatch
import Glibc
import Testing

@testable import ArticleAccounts
@testable import ArticleServiceCore
@testable import ArticleServices

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct PasswordHasherTests {
    /// The least that libsodium accepts.
    private static let cheap = PasswordHash.Cost(passes: 1, memoryBytes: 8 << 10)

    private static func password(_ text: String) throws(ServiceError) -> Password {
        try Password(presented: text)
    }

    // The tests compute few hashes at the usual cost.
    @Test func `a hash says what it cost, and verifies its own password`() async throws {
        let hasher = try PasswordHasher(width: 1, depth: 8)
        let hash = try await hasher.hash(Self.password("correct horse"), for: .init(networks: [1]))
        #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(hash.utf8.count == 97)
        let right = try await hasher.verify(
            Self.password("correct horse"), against: hash, for: .init(networks: [1]))
        #expect(right == .correct(newHash: nil))
        let dummy = PasswordHash(cost: .recommended).ofNoPassword
        #expect(Self.shape(dummy) == Self.shape(hash))
        #expect(!PasswordHash(cost: .recommended).isOutdated(dummy))
    }

    @Test(arguments: ["correct hors", "correct horse ", "Correct horse", "", "correct horse\0"])
    func `any other password is wrong`(text: String) async throws {
        let hasher = try PasswordHasher(width: 1, depth: 8, cost: Self.cheap)
        let hash = try await hasher.hash(Self.password("correct horse"), for: .init(networks: [1]))
        let wrong = try await hasher.verify(
            Self.password(text), against: hash, for: .init(networks: [1]))
        #expect(wrong == .wrong)
    }

    @Test func `two hashes of one password differ`() async throws {
        let hasher = try PasswordHasher(width: 1, depth: 8, cost: Self.cheap)
        let first = try await hasher.hash(Self.password("correct horse"), for: .init(networks: [1]))
        let second = try await hasher.hash(
            Self.password("correct horse"), for: .init(networks: [1]))
        #expect(first != second)
    }

    @Test func `a known hash of another implementation is verified`() async throws {
        // From the tests of the reference implementation (phc-winner-argon2, src/test.c).
        let hash =
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
        let cost = PasswordHash.Cost(passes: 2, memoryBytes: 256 << 10)
        let hasher = try PasswordHasher(width: 1, depth: 8, cost: cost)
        let right = try await hasher.verify(
            Self.password("password"), against: hash, for: .init(networks: [1]))
        #expect(right == .correct(newHash: nil))
        let wrong = try await hasher.verify(
            Self.password("passwore"), against: hash, for: .init(networks: [1]))
        #expect(wrong == .wrong)
    }

    @Test func `a correct password whose hash cost less gets a new hash`() async throws {
        let older = try PasswordHasher(width: 1, depth: 8, cost: Self.cheap)
        let cost = PasswordHash.Cost(passes: 2, memoryBytes: 64 << 10)
        let hasher = try PasswordHasher(width: 1, depth: 8, cost: cost)
        let password = try Self.password("correct horse")
        let old = try await older.hash(password, for: .init(networks: [1]))
        #expect(old.hasPrefix("$argon2id$v=19$m=8,t=1,p=1$"))
        let verification = try await hasher.verify(
            password, against: old, for: .init(networks: [1]))
        guard case .correct(let hash?) = verification else {
            Issue.record("\(verification)")
            return
        }
        #expect(hash.hasPrefix("$argon2id$v=19$m=64,t=2,p=1$"))
        let again = try await hasher.verify(password, against: hash, for: .init(networks: [1]))
        #expect(again == .correct(newHash: nil))
        let wrong = try await hasher.verify(
            Self.password("incorrect"), against: old, for: .init(networks: [1]))
        #expect(wrong == .wrong)
    }

    @Test func `a name without a password takes as many hashes of the same cost as a wrong one`()
        async throws
    {
        let count = Counter()
        let hasher = try PasswordHasher(width: 1, depth: 8, cost: Self.cheap) { _ = count.next() }
        let hash = try await hasher.hash(Self.password("correct horse"), for: .init(networks: [1]))
        #expect(count.value == 1)
        let password = try Self.password("incorrect")
        let unknown = try await hasher.verify(password, against: nil, for: .init(networks: [1]))
        #expect(unknown == .wrong && count.value == 2)
        let wrong = try await hasher.verify(password, against: hash, for: .init(networks: [1]))
        #expect(wrong == .wrong && count.value == 3)
        let dummy = PasswordHash(cost: Self.cheap).ofNoPassword
        #expect(Self.shape(dummy) == Self.shape(hash))
    }

    /// The parameters, and the lengths of salt and hash.
    private static func shape(_ hash: String) -> [String] {
        let parts = hash.split(separator: "$").map(String.init)
        return parts.prefix(3) + parts.dropFirst(3).map { "\($0.utf8.count)" }
    }

    @Test(arguments: [
        "", "x", "$argon2id$", "$argon2id$v=19$m=8,t=1,p=1$AAAA", "$2y$10$abcdefghijklmnopqrstuv",
        String(repeating: "$", count: 1_000),
    ])
    func `a damaged hash is reported, and is not taken for a wrong password`(hash: String)
        async throws
    {
        let hasher = try PasswordHasher(width: 1, depth: 8, cost: Self.cheap)
        let error = await #expect(throws: ServiceError.self) {
            _ = try await hasher.verify(
                Self.password("correct horse"), against: hash, for: .init(networks: [1]))
        }
        guard case .unavailable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `hashes are bounded in number and in the queue, which rejects with Retry-After`()
        async throws
    {
        let begun = Counter()
        let gate = DispatchSemaphore(value: 0)
        let hasher = try PasswordHasher(width: 2, depth: 3, cost: Self.cheap) {
            _ = begun.next()
            gate.wait()
        }
        let password = try Self.password("correct horse")
        let tasks = (0..<5).map { number in
            Task { try await hasher.hash(password, for: .init(networks: [UInt64(number)])) }
        }
        #expect(await eventually { hasher.waiting == 3 && begun.value == 2 })
        #expect(hasher.running == 2)
        let error = await #expect(throws: ServiceError.self) {
            _ = try await hasher.verify(password, against: nil, for: .init(networks: [9]))
        }
        let response = try #require(error).response(to: "test") { _ in }
        #expect(response.status.code == 503 && response.fields[.retryAfter] == "1")
        #expect(begun.value == 2 && hasher.waiting == 3)
        for _ in tasks { gate.signal() }
        for task in tasks { _ = try await task.value }
        #expect(begun.value == 5)
    }

    @Test func `a cancelled request leaves the queue without a hash`() async throws {
        let begun = Counter()
        let gate = DispatchSemaphore(value: 0)
        let hasher = try PasswordHasher(width: 1, depth: 3, cost: Self.cheap) {
            _ = begun.next()
            gate.wait()
        }
        let password = try Self.password("correct horse")
        let first = Task { try await hasher.hash(password, for: .init(networks: [1])) }
        #expect(await eventually { begun.value == 1 })
        let second = Task {
            try await hasher.verify(password, against: nil, for: .init(networks: [2]))
        }
        #expect(await eventually { hasher.waiting == 1 })
        second.cancel()
        await #expect(throws: ServiceError.self) { _ = try await second.value }
        #expect(hasher.waiting == 0)
        gate.signal()
        _ = try await first.value
        #expect(begun.value == 1)
    }

    @Test func `one of the hashes has the usual priority, and the others have nice 19`()
        async throws
    {
        let values = Lock<[Int32]>([])
        let usual = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
        let width = 3
        let meeting = DispatchSemaphore(value: 0)
        let hasher = try PasswordHasher(width: width, depth: 0, cost: Self.cheap) {
            // On Linux, 0 is the calling thread.
            let nice = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
            let isLast = values.withLock { values in
                values.append(nice)
                return values.count == width
            }
            // Each has a thread to itself, as none ends before all have begun.
            if isLast { for _ in 0..<width { meeting.signal() } }
            meeting.wait()
        }
        let password = try Self.password("correct horse")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<width {
                group.addTask {
                    _ = try await hasher.hash(password, for: .init(networks: [UInt64(number)]))
                }
            }
            try await group.waitForAll()
        }
        #expect(values.withLock { $0 }.sorted() == [usual, 19, 19])
    }

    @Test func `there is one hash for each two cores by default, but at least one`() {
        let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        #expect(PasswordHasher.defaultWidth == max(1, cores / 2))
    }
}

@Suite struct PasswordTests {
    /// A password of an account with the name `Mina-K.2026`.
    private static func choose(_ text: String) throws(ServiceError) -> Password {
        try Password(chosen: text, forName: try AccountName("Mina-K.2026").key)
    }

    @Test(arguments: [("x", 8), ("x", 1_000), ("é", 8), ("é", 500), ("密", 8), ("密", 333)])
    func `a password of 8 characters to 1,000 bytes may be chosen`(
        letter: String, count: Int
    ) throws {
        _ = try Self.choose(String(repeating: letter, count: count - 1) + "y")
    }

    @Test(arguments: [
        ("x", 0, "is shorter than 8 characters"), ("x", 7, "is shorter than 8 characters"),
        ("é", 7, "is shorter than 8 characters"), ("x", 1_001, "is longer than 1000 bytes"),
        ("é", 501, "is longer than 1000 bytes"), ("x", 8, "repeats one character"),
        ("é", 500, "repeats one character"), ("aA", 30, "repeats one character"),
        ("1234", 2, "is one of the most common passwords"),
    ])
    func `others may not be chosen, and the error says why`(
        letter: String, count: Int, fault: String
    ) throws {
        let error = #expect(throws: ServiceError.self) {
            _ = try Self.choose(String(repeating: letter, count: count))
        }
        #expect(details(error) == ["/password \(fault)"])
    }

    @Test(arguments: ["password", "PASSWORD", "iLoveYou", "1q2w3e4r5t"])
    func `passwords that are guessed first may not be chosen`(text: String) {
        let error = #expect(throws: ServiceError.self) { _ = try Self.choose(text) }
        #expect(details(error) == ["/password is one of the most common passwords"])
    }

    @Test(arguments: ["Mina-K.2026", "mina-k.2026", "ＭＩＮＡ-K.2026"])
    func `the name of the account may not be its password`(text: String) {
        let error = #expect(throws: ServiceError.self) { _ = try Self.choose(text) }
        #expect(details(error) == ["/password is the name of the account"])
    }

    @Test func `a short password can be presented, and a long one cannot`() throws {
        #expect(try Password(presented: "x").withBytes { $0.count } == 1)
        #expect(try Password(presented: "").withBytes { $0.count } == 0)
        #expect(throws: ServiceError.self) {
            _ = try Password(presented: String(repeating: "x", count: 1_001))
        }
    }

    @Test func `a password is the same in composed and decomposed form`() throws {
        let composed = try Self.choose("caf\u{E9} cr\u{E8}me").withBytes { $0.map { $0 } }
        let other = try Self.choose("cafe\u{301} cre\u{300}me").withBytes { $0.map { $0 } }
        #expect(composed == other)
    }
}

/// The places and texts of an error about invalid values.
func details(_ error: ServiceError?) -> [String] {
    guard case .invalid(let details)? = error else { return [] }
    return details.map { detail in
        guard case .pointer(let pointer)? = detail.place else { return detail.detail }
        return "\(pointer) \(detail.detail)"
    }
}
