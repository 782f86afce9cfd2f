import ArticleSearch
import ArticleStore
import BroadsheetPlatform

/// The reason why the index of the search could not go on.
enum IndexError: Error {
    /// The store failed: it may work again later.
    case store(StoreError)
    /// The stored index cannot be used: it has to be built again.
    case unusable(String)
    case stopped

    init(_ error: StoreError) {
        switch error {
        case .otherHistory: self = .unusable("the database has a different history")
        case .corrupt(let text): self = .unusable(text)
        default: self = .store(error)
        }
    }

    init(_ error: SearchIndexError) {
        switch error {
        case .corrupt(let text): self = .unusable(text)
        }
    }

    /// Runs an operation of the store.
    static func catching<Value>(
        _ operation: () async throws(StoreError) -> Value
    ) async throws(IndexError) -> Value {
        do throws(StoreError) { return try await operation() } catch { throw IndexError(error) }
    }
}

extension BackgroundPool {
    /// Runs a computation of the index, which is the pool's only client.
    func compute<Value: Sendable>(
        _ work: @escaping @Sendable () throws(SearchIndexError) -> Value
    ) async throws(IndexError) -> Value {
        let result: Result<Value, SearchIndexError>
        do throws(BackgroundPool.Failure) {
            result = try await run(for: Client(networks: [0])) {
                Result { () throws(SearchIndexError) in try work() }
            }
        } catch {
            switch error {
            case .full: throw .store(.busy)
            case .cancelled: throw .stopped
            }
        }
        do throws(SearchIndexError) { return try result.get() } catch { throw IndexError(error) }
    }
}
