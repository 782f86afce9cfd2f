package import ArticleAPI
import BroadsheetMarkup

/// The drafts that an import finds in the export of another program, without importing it.
package struct BlogExportReader: Sendable {
    /// In the order of the file; not validated.
    package private(set) var drafts: [Article.Draft] = []
    /// The reasons why posts, or the rest of the file, cannot be read.
    package private(set) var faults: [String] = []

    /// Reads an export of WordPress.
    package init(wordPress bytes: [UInt8]) {
        do throws(XMLError) {
            var export = try WordPressExport { () throws(XMLError) in XMLReader(bytes) }
            while let item = try export.next() {
                switch item {
                case .post(let post): take(post)
                case .rejected(let key, let reason): faults.append("\(key): \(reason)")
                case .other: break
                }
            }
        } catch { faults.append(error.description) }
    }

    /// Reads an export of Ghost, in which `redirects` may have the redirects that Ghost exports
    /// separately.
    package init(ghost bytes: [UInt8]) {
        guard let value = try? JSONParser.parse(bytes) else {
            faults.append("it is not JSON")
            return
        }
        do throws(LineFault) {
            let redirects = GhostRedirects(json: GhostRecord(value)["redirects"] ?? .null)
            let export = try GhostExport(value, redirects: redirects, siteURL: nil)
            for index in 0..<export.count {
                switch export.post(at: index) {
                case .success(let post): take(post)
                case .failure(let fault): faults.append(fault.reason)
                }
            }
        } catch { faults.append(error.reason) }
    }

    private mutating func take(_ post: BlogPost) {
        do throws(HTMLError) { drafts.append(try post.draft(limits: HTMLLimits()).draft) } catch {
            faults.append("\(post.key): \(error)")
        }
    }
}
