import ArticleAPI
import BroadsheetMarkup

/// A reference, and how it is resolved.
enum ReferenceLaws {
    private static let bases = [nil, "https://example.org/a/b?c", "http://[::1]:8080"]

    static func broken(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        let text = String(decoding: input, as: UTF8.self)
        for base in bases {
            guard let url = Reference.resolve(text, against: base),
                url.hasPrefix("http://") || url.hasPrefix("https://")
            else { continue }
            laws.expect(Reference.resolve(url, against: nil) == url, "it stays as it is: \(url)")
            let fault = WebAddress.fault(url) ?? ""
            laws.expect(!fault.contains("percent-encoded"), "its path is a URI's: \(url)")
            laws.expect(url.utf8.allSatisfy { (0x21..<0x7F).contains($0) }, "it is ASCII: \(url)")
        }
        return laws.broken
    }
}
