#if canImport(FoundationEssentials)
    public import ArticleClient
    public import Foundation

    /// `localizedDescription` gives `errorDescription`, also of an `any Error`. Where Foundation is
    /// the system's own, `ArticleClient` says so itself.
    extension BackendError: LocalizedError {}
#endif
