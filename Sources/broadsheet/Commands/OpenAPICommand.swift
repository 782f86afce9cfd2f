import ArticleAPI
import ArticleAdminAPI
import ArticleResources
import ArticleServices
import BroadsheetCommandLine
import BroadsheetPlatform

/// Prints the description of the API, without a server.
struct OpenAPICommand: Command {
    static let name = "openapi"
    static let summary = "Prints the description of the API (OpenAPI 3.1)."
    static let usage = ""
    static let example = "broadsheet openapi > openapi.json"
    static let options: [Option] = []

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.rejectOperands()
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        let description = APIDescription.ofBackend(version: Version.number)
        try Console.print(String(decoding: description.json(), as: UTF8.self))
    }
}
