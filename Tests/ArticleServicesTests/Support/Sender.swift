import ArticleAPI
import ArticleAccounts
import ArticleAdminAPI
import ArticleServiceCore
import ArticleServices
import ArticleStore
import BroadsheetPlatform
import Testing

/// The sender of a request in a scenario.
enum Sender: String, Sendable, CaseIterable, CustomTestStringConvertible {
    /// Sends no key.
    case anonymous
    case reader, editor, admin
    /// Sends the operator's key.
    case `operator`
    /// Send keys that used to be valid.
    case expired, revoked
    /// Sends a well-formed key that was never created.
    case garbage
    /// Sends an editor's public id with another secret.
    case forger

    static let editors: [Sender] = [.editor, .admin, .operator]
    static let rejected: [Sender] = [.expired, .revoked, .garbage, .forger]

    var testDescription: String { rawValue }
}

/// A key of every kind, and the stored records of the known ones.
struct TestKeys: Sendable {
    let texts: [Sender: String]
    let records: [KeyRecord]
    /// The id of the key that has to be revoked.
    let revokedID: String

    init(at time: Timestamp) {
        func key(_ sender: Sender, _ role: Role, expiresAt: Timestamp? = nil) -> APIKey {
            APIKey(
                name: "\(sender)'s key", role: role, at: time, expiresAt: expiresAt, system: .real)
        }
        let made: [(Sender, APIKey)] = [
            (.reader, key(.reader, .reader)), (.editor, key(.editor, .editor)),
            (.admin, key(.admin, .admin)), (.revoked, key(.revoked, .admin)),
            (.expired, key(.expired, .admin, expiresAt: time)),
        ]
        records = made.map(\.1.record)
        revokedID = made[3].1.record.id
        var texts = Dictionary(uniqueKeysWithValues: made.map { ($0.0, $0.1.text) })
        texts[.operator] = "operator-0123456789-0123456789-0123456789"
        texts[.garbage] = APIKey(name: "nobody's", role: .admin, at: time, system: .real).text
        texts[.forger] = made[1].1.text.dropLast(4) + "AAAA"
        self.texts = texts
    }

    /// Returns an editor as the history shows it.
    func actor(_ sender: Sender) throws -> Revision.Actor {
        guard sender != .operator else { return Revision.Actor(kind: .operator, name: "operator") }
        let name = "\(sender)'s key"
        let record = try #require(records.first { $0.name == name })
        return Revision.Actor(kind: .key, id: record.id, name: name)
    }
}
