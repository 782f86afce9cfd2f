public import ArticleAPI
import ArticleImportExport
package import ArticleServiceCore
package import ArticleStore
import BroadsheetHTTP
package import BroadsheetHTTPServer
package import BroadsheetPlatform
import Glibc

/// Imports a file that an admin sends, such as one dropped onto the console, as `broadsheet import`
/// does.
///
/// The file is received completely, next to the database, before anything is imported.
package struct FileImportService: Sendable {
    private let store: any ArticleStore
    private let markdown: MarkdownRenderer
    private let language: LanguageTag
    private let path: String
    private let scheduler: RequestScheduler
    private let system: SystemEnvironment
    /// Each file may be large, so one is received and imported at a time.
    private let isBusy = Lock(false)

    /// The size of a file, in bytes.
    package static let limitBytes = 256 << 20
    /// Articles are identified by this and the file's name, so that a file can be sent again.
    static let folder = "imported"

    /// - Parameters:
    ///   - path: That of the database.
    ///   - language: The language of articles that do not specify one.
    package init(
        store: any ArticleStore, markdown: MarkdownRenderer, at path: String,
        language: String, system: SystemEnvironment
    ) {
        guard let tag = LanguageTag(language) else {
            preconditionFailure("programmer error: \(language) is not a language tag")
        }
        self.store = store
        self.markdown = markdown
        self.path = path
        self.language = tag
        self.system = system
        scheduler = RequestScheduler(workers: store.workers)
    }

    package func take(
        _ request: ImportFileRequest, _ caller: Principal, _ context: RequestContext
    ) async throws(ServiceError) -> Reply<FileImportReport> {
        let identity = try Self.identity(of: request.name)
        let isFirst = isBusy.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
        guard isFirst else { throw .invalidValue("", "cannot be imported while another file is") }
        defer { isBusy.withLock { $0 = false } }
        // A file without a length may be as large as any.
        let expected = context.body?.length ?? Self.limitBytes
        guard Spool(beside: path).hasRoom(forBytes: expected) else { throw .full }
        let file: TemporaryFile
        do throws(SystemError) { file = try TemporaryFile(path) } catch {
            throw .unavailable(cause: "\(error)")
        }
        defer {
            unlink(file.path)
            close(file.descriptor)
        }
        let bytes = try await receive(context.body, into: file)
        guard bytes > 0 else { throw .invalidValue("", "is empty") }
        let source = ImportFile(
            path: file.path, identity: identity, sizeBytes: bytes,
            format: ImportFile.Format(name: request.name), hasCompanions: false)
        let importer = Importer(
            store: AttributedDestination(store: store, caller: caller),
            language: request.language.flatMap { LanguageTag($0) } ?? language,
            isDryRun: request.isDryRun ?? false, isAsDrafts: request.isAsDrafts ?? false,
            restoresDeleted: request.restoresDeleted ?? false, keepsPaths: true,
            siteURL: request.siteURL, markdown: markdown, system: system)
        // Files are read with blocking calls.
        return try await scheduler.take(RequestCost(isHeavy: true), for: caller, context) {
            (_) throws(ServiceError) in
            do throws(InterchangeError) {
                let report = try await importer.run([source])
                return Reply(FileImportReport(report))
            } catch { throw ServiceError(interchange: error) }
        }
    }

    /// The identity of a file with this name.
    private static func identity(of name: String) throws(ServiceError) -> String {
        let parts = name.split(separator: "/").filter { $0 != "." }
        let identity = ([folder[...]] + parts).joined(separator: "/").inNFC
        guard let last = parts.last, !parts.contains("..") else {
            throw .badParameter("name", "must be the name of a file")
        }
        guard identity.utf8.count <= ImportFiles.limitIdentityBytes else {
            throw .badParameter("name", "is too long")
        }
        // Every article of some sites is called so.
        guard parts.count > 1 || ImportItem.name(ofPath: "x/\(last)") == last else {
            throw .badParameter(
                "name", "must be FOLDER/\(last), because files in other folders have the same name")
        }
        return identity
    }

    /// Writes the body to the file, and returns its length.
    private func receive(
        _ body: HTTPBodyStream?, into file: TemporaryFile
    ) async throws(ServiceError) -> Int {
        guard let body else { return 0 }
        let pool = BlockingPool(label: "broadsheet.import", width: 1, depth: 1)
        var count = 0
        do {
            while let piece = try await body.next() {
                try await pool.run {
                    Result { () throws(SystemError) in
                        try FileSystem.write(piece, to: file.descriptor)
                    }
                }.get()
                count += piece.count
            }
        } catch let error as SystemError {
            throw error.code == ENOSPC ? .full : .unavailable(cause: "\(error)")
        } catch {
            // The server responds itself to a body that has not arrived.
            throw .busy
        }
        return count
    }
}

/// `POST /v1/admin/import?name=FILE`: imports the file in the body.
public struct ImportFileRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/admin/import", name: "importFile", summary: "Imports a file",
        access: .administer)
    public typealias Item = FileImportReport

    public static let parameters = Parameters(
        Self.init(name:language:siteURL:isDryRun:isAsDrafts:restoresDeleted:),
        .requiredQuery("name", \.name, .line(1...500)),
        .query("language", \.language, .language), .query("siteURL", \.siteURL, .webAddress),
        .query("dryRun", \.isDryRun, .boolean), .query("asDrafts", \.isAsDrafts, .boolean),
        .query("restoreDeleted", \.restoresDeleted, .boolean))

    /// The name of the file. Its extension determines the format; importing a file with the same
    /// name again updates its articles. It may begin with folders, which distinguish files with the
    /// same name.
    public var name: String
    /// That of articles that do not specify one; `nil` for the server's default.
    public var language: String?
    /// The address of the site, which makes the addresses in an export of Ghost absolute.
    public var siteURL: String?
    /// True if the outcome is only reported.
    public var isDryRun: Bool?
    /// Makes every article a draft.
    public var isAsDrafts: Bool?
    /// Restores articles that were deleted since they were imported.
    public var restoresDeleted: Bool?

    public init(
        name: String, language: String? = nil, siteURL: String? = nil, isDryRun: Bool? = nil,
        isAsDrafts: Bool? = nil, restoresDeleted: Bool? = nil
    ) {
        self.name = name
        self.language = language
        self.siteURL = siteURL
        self.isDryRun = isDryRun
        self.isAsDrafts = isAsDrafts
        self.restoresDeleted = restoresDeleted
    }
}

/// Imports in the name of the admin who has sent the file.
private struct AttributedDestination: ImportDestination {
    let store: any ArticleStore
    let caller: Principal

    package func importArticles(
        _ items: [ImportItem], by edit: Edit, dryRun: Bool
    ) async throws(StoreError) -> [Result<ImportOutcome, StoreError>] {
        try await store.importArticles(
            items, by: caller.edit(at: edit.time, nil), dryRun: dryRun)
    }

    package func restore(
        _ records: [ExportRecord], dryRun: Bool
    ) async throws(StoreError) -> RestoreCounts {
        try await store.restore(records, dryRun: dryRun)
    }

    func changeSequence() async throws(StoreError) -> Int64 { try await store.changeSequence() }
}
