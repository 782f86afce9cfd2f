// The one import of an app: requests and models, the client, and what works without a network.
// Types of HTTP (`BroadsheetHTTP`) are not among them: only a transport of one's own needs them.
@_exported public import ArticleAPI
@_exported public import ArticleClient
@_exported public import ArticleOffline

// On Linux, the client has a transport of its own.
#if !os(Linux)
    @_exported public import BroadsheetURLSession
#endif
