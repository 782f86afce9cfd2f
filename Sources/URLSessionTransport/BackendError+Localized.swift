#if canImport(FoundationEssentials)
    public import ArticleClient
    public import Foundation

    /// Makes `localizedDescription` return `errorDescription`, also for an `any Error`. Where
    /// Foundation belongs to the system, `ArticleClient` declares this itself.
    extension BackendError: LocalizedError {}
#endif
