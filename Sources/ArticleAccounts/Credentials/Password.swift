import ArticleAPI
import ArticleServiceCore
import CBroadsheetSodium

/// A password in memory, which is overwritten when it is released (`sodium_memzero`).
///
/// It is kept in NFC, so that it is the same from every keyboard (RFC 8265 §4.2.2). Immutable; use
/// it anywhere. The request that it came in has copies of its own.
final class Password: Sendable {
    /// In Unicode scalars.
    static let minimumCharacters = 8
    static let limitBytes = 1_000

    // Written by the initialiser only, and owned by this object.
    private nonisolated(unsafe) let bytes: UnsafeMutableBufferPointer<CChar>

    /// A password that a user chose for an account: not one that is guessed first.
    ///
    /// - Parameter key: That of the account's name.
    convenience init(
        chosen text: String, forName key: String
    ) throws(ServiceError) {
        let text = text.inNFC
        try Self.checkLength(text)
        if let fault = Self.weakness(text, key) { throw .invalidValue("/password", fault) }
        try self.init(normalized: text)
    }

    private static func weakness(_ text: String, _ key: String) -> String? {
        if text.unicodeScalars.count < minimumCharacters {
            return "is shorter than \(minimumCharacters) characters"
        }
        let folded = text.caseFolded
        if Set(folded.unicodeScalars).count <= 1 { return "repeats one character" }
        if CommonPasswords.contains(folded) { return "is one of the most common passwords" }
        return (try? AccountName(text))?.key == key ? "is the name of the account" : nil
    }

    /// A password to be verified, which may be one that could not be chosen today.
    convenience init(presented text: String) throws(ServiceError) {
        try self.init(normalized: text.inNFC)
    }

    private static func checkLength(_ text: String) throws(ServiceError) {
        guard text.utf8.count <= limitBytes else {
            throw .invalidValue("/password", "is longer than \(limitBytes) bytes")
        }
    }

    private init(normalized text: String) throws(ServiceError) {
        try Self.checkLength(text)
        bytes = .allocate(capacity: text.utf8.count)
        _ = bytes.initialize(fromContentsOf: text.utf8.map { CChar(bitPattern: $0) })
    }

    deinit {
        sodium_memzero(bytes.baseAddress, bytes.count)
        bytes.deallocate()
    }

    func withBytes<Result>(_ body: (UnsafeBufferPointer<CChar>) -> Result) -> Result {
        body(UnsafeBufferPointer(bytes))
    }
}

/// The passwords that are guessed first. Attempts are limited, so these are the ones that count.
enum CommonPasswords {
    /// - Parameter password: Case-folded.
    static func contains(_ password: String) -> Bool { all.contains(Substring(password)) }

    // At least 8 characters, case-folded.
    private static let all = Set(
        """
        password password1 password12 password123 password1234 passw0rd passw0rd1 p@ssw0rd
        p@ssword pa$$word password! password1! mypassword newpassword passwort passwort1
        motdepasse 12345678 123456789 1234567890 0123456789 0987654321 987654321 87654321
        123123123 11223344 1122334455 123454321 123456abc 1234abcd 12341234 1234qwer 12344321
        147258369 147852369 159753456 789456123 741852963 123321123 10203040 102030405 135792468
        1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 q1w2e3r4 q1w2e3r4t5
        qazwsxedc zaq12wsx zaq1zaq1 qwertyui qwertyuiop qwerty12 qwerty123 qwerty1234 qwerty12345
        qwertz123 qwer1234 azertyuiop asdfghjk asdfghjkl asdf1234 asdfasdf zxcvbnm1 zxcvbnm123
        abcdefgh abcdefghi abcd1234 abc12345 abc123456 a1b2c3d4 a1234567 a12345678 a123456789
        aa123456 aa12345678 iloveyou iloveyou1 sunshine sunshine1 princess princess1 football
        football1 baseball baseball1 basketball superman superman1 batman123 starwars pokemon1
        pokemon123 welcome1 welcome123 letmein1 letmein123 trustno1 whatever michelle jennifer
        computer internet liverpool dragon123 master123 monkey123 freedom1 mercedes corvette
        midnight elephant butterfly chocolate admin123 admin1234 administrator changeme changeme1
        changeme123 default1 test1234 test12345 testtest guest123 user1234 secret123
        """.split(whereSeparator: \.isWhitespace))
}
