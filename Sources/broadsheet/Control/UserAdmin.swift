import ArticleAPI
import ArticleAdminAPI
import ArticleClient
import BroadsheetCommandLine

/// Finds and changes users by their names, with the rights of an admin.
struct UserAdmin: Sendable {
    private let backend: BackendService

    init(_ backend: BackendService) { self.backend = backend }

    func ask<Request: BackendAPIRequest>(
        _ request: Request
    ) async throws(CommandFailure) -> Request.Item {
        do throws(BackendError) { return try await backend.send(request) } catch {
            switch error {
            case .problem(let problem) where problem.status < 500:
                throw CommandFailure(.dataError, "\(error)")
            default: throw CommandFailure(.ioError, "\(error)")
            }
        }
    }

    /// The user with this name, in any case.
    func user(named name: String) async throws(CommandFailure) -> User {
        guard let user = try await ask(FetchUsersRequest(name: name)).items.first else {
            throw CommandFailure(.dataError, "there is no user \"\(name)\"")
        }
        return user
    }

    func change(_ name: String, _ changes: User.Changes) async throws(CommandFailure) -> User {
        let user = try await user(named: name)
        return try await ask(UpdateUserRequest(id: user.id, changes: changes))
    }
}
