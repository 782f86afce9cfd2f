import BroadsheetHTTP

/// The token of the last write, so that the account that wrote reads its own write from any node of
/// the backend. Safe to use from any thread.
final class LastWrite: Sendable {
    private struct Place {
        let session: Session.ID
        let token: String
    }

    private let place = Locked<Place?>(nil)

    /// Remembers the place of a write (`Broadsheet-Sequence`).
    func note(_ fields: HTTPFields, in session: Session.ID) {
        guard let token = fields[.broadsheetSequence] else { return }
        place.withLock { $0 = Place(session: session, token: token) }
    }

    /// The request, which waits for the last write of this session if it reads
    /// (`Broadsheet-After`).
    func preceding(_ request: HTTPRequest, in session: Session.ID) -> HTTPRequest {
        guard request.method.isSafe, !request.fields.contains(.broadsheetAfter),
            let place = place.withLock({ $0 }), place.session == session
        else { return request }
        var request = request
        request.fields.set(.broadsheetAfter, to: place.token)
        return request
    }
}
