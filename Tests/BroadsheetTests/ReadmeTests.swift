import ArticleAPI
import ArticleAdminAPI
import ArticleServices
import BroadsheetCommandLine
import Foundation
import Testing

@testable import ArticleOperations
@testable import broadsheet

/// README and the manual only name what exists.
@Suite struct ReadmeTests {
    private static let root = URL(filePath: #filePath)
        .appending(path: "../../..").standardizedFileURL

    /// The text of README.md, and of each page of the manual.
    private static func documents() throws -> [String] {
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        return [readme] + ManualPage.all.map(\.text)
    }

    @Test func `every flag that they name exists`() throws {
        let flags = Set(Broadsheet.commands.flatMap { $0.options.map { "--\($0.name)" } })
        // --help is not an option; the others belong to docker, curl, createdb or swift.
        let foreign: Set = [
            "--help", "--cacert", "--publish", "--volume", "--tag", "--detach", "--env", "--force",
            "--header", "--json", "--unix-socket", "--owner", "--encoding", "--template",
            "--http2", "--http2-prior-knowledge", "--allow-writing-to-package-directory",
            "--allow-network-connections",
        ]
        for document in try Self.documents() {
            for match in document.matches(of: /--[a-z][a-z0-9-]*/) {
                let flag = String(match.output)
                #expect(flags.contains(flag) || foreign.contains(flag), "\(flag) does not exist")
            }
        }
    }

    @Test func `every command and page that they name exists`() throws {
        let names = Set(Broadsheet.commands.map { $0.name })
        let pages = Set(ManualPage.all.map(\.name))
        for document in try Self.documents() {
            for match in document.matches(of: /broadsheet ([a-z]+)(?: ([a-z]+))?/) {
                let name = String(match.output.1)
                #expect(names.contains(name), "broadsheet \(name)")
                guard name == "help", let topic = match.output.2 else { continue }
                #expect(pages.contains(String(topic)), "broadsheet help \(topic)")
            }
        }
    }

    @Test func `the manual lists every request with its summary`() throws {
        let page = try #require(ManualPage.all.first { $0.name == "api" }).text
        var names: Set<String> = []
        for type in Contract.requests {
            let endpoint = type.endpoint
            let line = "| `\(endpoint.method) \(endpoint.template)` | \(endpoint.summary) |"
            #expect(page.contains(line), "\(line)")
            #expect(!endpoint.summary.isEmpty && names.insert(endpoint.name).inserted)
        }
        for type in Contract.adminRequests {
            let endpoint = type.endpoint
            #expect(page.contains("| `\(endpoint.method) \(endpoint.template)` |"))
            #expect(!endpoint.summary.isEmpty && names.insert(endpoint.name).inserted)
        }
        #expect(!names.contains(""))
    }

    @Test func `every file that README links to exists`() throws {
        let readme = try #require(try Self.documents().first)
        let links = readme.matches(of: /\]\(([A-Za-z][^):]*)\)/).map { String($0.output.1) }
        #expect(links.count > 10)
        for link in links {
            let path = Self.root.appending(path: link).path
            #expect(FileManager.default.fileExists(atPath: path), "\(link)")
        }
    }

    @Test func `documents and the released description have the program's version`() throws {
        func text(_ path: String) throws -> String {
            try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        }
        let version = Version.number
        let heading = try text("CHANGELOG.md").firstMatch(of: /(?m)^## (\d+\.\d+\.\d+) -/)
        #expect(heading?.output.1 == version[...])
        #expect(try text("README.md").contains("The last release is \(version)."))
        let agents = try text("Resources/manual/webhooks.md").matches(of: /Broadsheet\/(\d[\d.]*)/)
        #expect(agents.count == 1 && agents.allSatisfy { $0.output.1 == version[...] })
        let description = try text("Tests/BroadsheetOpenAPITests/Released/openapi.json").prefix(200)
        #expect(description.contains("\"version\":\"\(version)\""))
    }

    @Test func `the defaults in the table of flags match the help`() throws {
        let page = try #require(ManualPage.all.first { $0.name == "configuration" })
        let rows = page.text.matches(of: /\| `--([a-z-]+) [A-Z\/]+` \| `?([^`|]+?)`? \|/)
        #expect(rows.count > 10)
        for row in rows {
            let option = ServeCommand.options.first { $0.name == row.output.1 }
            #expect(option?.defaultValue == String(row.output.2), "\(row.output.1)")
        }
    }
}
