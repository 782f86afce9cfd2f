import ArticleAPI
import ArticleOffline
import BroadsheetHTTP
import FoundationEssentials
import Testing

@testable import ArticleClient

/// The texts about errors that an app shows to its user.
@Suite struct ErrorTextTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    private static let languages = PresentationLanguage.allCases
    private static let purposes = ErrorText.Purpose.allCases

    private static var texts: [(text: ErrorText, language: PresentationLanguage)] {
        ErrorSamples.all.flatMap { row in
            purposes.flatMap { purpose in
                languages.map { (ErrorText(row.error, for: purpose, in: $0), $0) }
            }
        }
    }

    @Test func `the texts are those of the golden file`() throws {
        let file = Self.folder.appending(path: "../Golden/ErrorTexts.txt")
        let table = Self.table
        if ProcessInfo.processInfo.environment["BROADSHEET_RECORD"] == "1" {
            try Data(table.utf8).write(to: file)
        }
        let golden = String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
        #expect(table == golden, "run this test with BROADSHEET_RECORD=1")
    }

    @Test func `no text has pointers, statuses or words of the protocol`() {
        let words = /[\/`]|HTTP|JSON|[Rr]equest|요청|\b[45]\d\d\b|If-|UUID|%|\$/
        for (text, _) in Self.texts {
            for part in [text.title, text.message, text.advice] {
                #expect(!part.contains(words), "\(part)")
            }
        }
    }

    @Test func `every text says in a sentence what has failed, why, and what to do`() {
        let verbs = [
            "Ask", "Change", "Check", "Choose", "Connect", "Copy", "Delete", "Fill", "Free", "Go",
            "Keep", "Make", "Open", "Reload", "Remove", "Restart", "Shorten", "Sign", "Try",
            "Unlock", "Update", "Wait", "Write",
        ]
        for (text, language) in Self.texts {
            #expect(!text.title.isEmpty && text.title.last != ".", "\(text)")
            switch language {
            case .english:
                #expect(text.message.first?.isUppercase == true, "\(text)")
                #expect(text.message.last == "." && text.advice.last == ".", "\(text)")
                #expect(verbs.contains { text.advice.hasPrefix("\($0) ") }, "\(text)")
            case .korean:
                #expect(text.message.hasSuffix("다."), "\(text)")
                #expect(text.advice.hasSuffix("세요."), "\(text)")
            }
        }
    }

    @Test func `the time of the next attempt is that of the advice`() throws {
        func text(_ error: BackendError) -> ErrorText { error.text(for: .load, in: .english) }
        func unavailable(after delay: Duration?) -> ErrorText {
            var problem = Problem(.unavailable)
            problem.retryAfter = delay
            return text(.problem(problem))
        }
        #expect(unavailable(after: nil).retry == .now)
        #expect(unavailable(after: .seconds(9)).retry == .after(.seconds(9)))
        #expect(unavailable(after: .seconds(9)).advice == "Wait a moment and try again.")
        for (seconds, words) in [
            (10, "10 seconds"), (89, "89 seconds"), (90, "2 minutes"), (3_600, "60 minutes"),
            (5_400, "2 hours"), (86_400, "24 hours"), (129_600, "2 days"), (1 << 32, "49711 days"),
        ] {
            let text = unavailable(after: .seconds(seconds))
            #expect(text.advice == "Try again in \(words).")
            #expect(text.retry == .after(.seconds(seconds)))
        }
        #expect(unavailable(after: .milliseconds(10_001)).advice == "Try again in 11 seconds.")
        #expect(text(.offline("no route")).retry == .online)
        #expect(text(.unauthorized(Problem(.unauthenticated))).retry == .afterSignIn)
        #expect(text(.problem(Problem(.preconditionFailed))).retry == .never)
    }

    @Test func `an error describes itself in the language of the app`() {
        let error: any UserFacingError = OfflineError.tooManyWrites
        #expect(error.localizedDescription == "Too many changes are waiting to be sent.")
        #expect(error.errorDescription == error.localizedDescription)
        #expect(
            error.recoverySuggestion == "Connect to the internet and wait until they are sent.")
    }

    // MARK: Completeness

    @Test func `every public error type of the SDK has texts`() throws {
        let modules = [
            "ArticleAPI", "ArticleClient", "ArticleOffline", "BroadsheetHTTP",
            "BroadsheetURLSession",
        ]
        let samples = ErrorSamples.all.map(\.error)
        let known = Set(samples.map { "\(type(of: $0))" })
        let declaration = /public (?:enum|struct|final class) (\w+):.*\bError\b/
        var count = 0
        for module in modules {
            let root = Self.folder.appending(path: "../../../Sources/\(module)")
            let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path)
            for path in paths where path.hasSuffix(".swift") {
                let data = try Data(contentsOf: root.appending(path: path))
                for match in String(decoding: data, as: UTF8.self).matches(of: declaration) {
                    #expect(known.contains(String(match.1)), "\(path): \(match.1)")
                    count += 1
                }
            }
        }
        #expect(count > 12)
        for error in samples where known.contains("\(type(of: error))") {
            let isForeign = error is CancellationError || "\(type(of: error))" == "UnknownError"
            #expect(error is any UserFacingError || isForeign, "\(type(of: error))")
        }
    }

    @Test func `every phrase of the catalogue is in a text`() {
        let table = Self.table
        for phrase in ErrorPhrase.allCases {
            guard case .text(let format) = ErrorPhrase.english[phrase.rawValue] else { continue }
            let words = format.split(separator: /%\d\$(?:@|lld)/).max { $0.count < $1.count }
            #expect(words.map { table.contains($0) } == true, "\(phrase)")
        }
    }

    // MARK: The table

    /// The texts of each error by language; purposes with the same texts are on one line.
    private static var table: String {
        var lines = ["titles"]
        for language in languages {
            lines += purposes.map { purpose in
                let text = ErrorText(BackendError.timedOut, for: purpose, in: language)
                return "  \(language.rawValue) \(purpose): \(text.title)"
            }
        }
        for row in ErrorSamples.all {
            lines += ["", row.name]
            for language in languages { lines += self.lines(row.error, in: language) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(_ error: any Error, in language: PresentationLanguage) -> [String] {
        var found: [(purposes: [ErrorText.Purpose], text: String)] = []
        for purpose in purposes {
            let text = ErrorText(error, for: purpose, in: language)
            let line = "\(text.message) \(text.advice) [\(text.retry)]"
            if let index = found.firstIndex(where: { $0.text == line }) {
                found[index].purposes.append(purpose)
            } else {
                found.append(([purpose], line))
            }
        }
        return found.map { purposes, text in
            let names = purposes.map { "\($0)" }.joined(separator: ", ")
            return "  \(language.rawValue)\(found.count == 1 ? "" : " \(names)"): \(text)"
        }
    }
}
