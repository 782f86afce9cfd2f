import ArticleClient
import BroadsheetTestSupport

extension BackendConfiguration {
    /// Times that a busy machine does not exceed.
    static func patient(_ baseURL: BaseURL) -> Self {
        var configuration = BackendConfiguration(baseURL: baseURL)
        configuration.timeout = .seconds(Patience.seconds)
        configuration.stallTimeout = .seconds(Patience.seconds)
        return configuration
    }
}
