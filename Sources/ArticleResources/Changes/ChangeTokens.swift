import ArticleAPI
package import ArticleServiceCore
import ArticleStore

/// Writes and reads the tokens of changes: `<epoch>.<sealed>`.
///
/// The epoch is in the clear, so that a token of another history can be told from an invalid one.
/// The numbers and the mark that proves them are sealed for the request's filters and types and for
/// the audience. Equal positions have equal tokens, and all tokens have one length.
package struct ChangeTokens: Sendable {
    let cursors: CursorSealer

    package init(cursors: CursorSealer) {
        self.cursors = cursors
    }

    func seal(_ position: ChangePosition, in list: String) -> String {
        let numbers = SealedNumbers(
            sequence: position.sequence, base: position.base, seen: position.seen,
            mark: position.mark)
        let epoch = ByteText.base64URL(position.epoch.cursorBytes)
        return "\(epoch).\(cursors.seal(numbers, in: list))"
    }

    /// The position in the changes that `list` describes.
    ///
    /// - Parameter current: the epoch of the database, which is only asked for if the token cannot
    ///   be read.
    /// - Throws: `.syncReset` for a token of another epoch, `.invalidToken` for anything else that
    ///   was not sealed for this list.
    func open(
        _ token: String, in list: String, epoch current: () async throws -> Epoch
    ) async throws(ServiceError) -> ChangePosition {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let bytes = ByteText.bytes(base64URL: String(parts[0])),
            let epoch = Epoch(cursorBytes: bytes)
        else { throw .invalidToken }
        if let numbers: SealedNumbers = try? cursors.open(String(parts[1]), in: list) {
            return ChangePosition(
                epoch: epoch, sequence: numbers.sequence, base: numbers.base, seen: numbers.seen,
                mark: numbers.mark)
        }
        // Another database has other secrets.
        let isOurs: Bool
        do { isOurs = try await current() == epoch } catch { throw ServiceError(error) }
        throw isOurs ? .invalidToken : .syncReset
    }
}

/// The numbers of a position.
private struct SealedNumbers: CursorPosition {
    var sequence: Int64
    var base: Int64
    var seen: Int64
    var mark: Int64

    init(sequence: Int64, base: Int64, seen: Int64, mark: Int64) {
        self.sequence = sequence
        self.base = base
        self.seen = seen
        self.mark = mark
    }

    var cursorBytes: [UInt8] {
        packed([sequence, base, seen, mark].map { UInt64(bitPattern: $0) })
    }

    /// Tokens of earlier versions have two numbers: nothing up to them has a mark.
    init?(cursorBytes: [UInt8]) {
        let words = unpacked(cursorBytes, count: 4) ?? unpacked(cursorBytes, count: 2)
        guard let numbers = words?.map({ Int64(bitPattern: $0) }) else { return nil }
        let isMarked = numbers.count == 4
        self.init(
            sequence: numbers[0], base: numbers[1],
            seen: isMarked ? numbers[2] : max(numbers[0], numbers[1]),
            mark: isMarked ? numbers[3] : 0)
    }
}
