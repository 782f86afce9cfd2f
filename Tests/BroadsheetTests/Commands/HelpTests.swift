import ArticleAPI
import ArticleStore
import HTTP
import HTTPServer
import SQLiteStore
import Sockets
import Testing

@testable import broadsheet

@Suite struct HelpTests {
    @Test func `the overview names every command`() {
        for command in Broadsheet.commands {
            #expect(HelpCommand.overview.contains("  \(command.name) "))
        }
    }

    @Test func `each page has an example that calls the command, and every option`() {
        for command in Broadsheet.commands {
            #expect(command.example.contains("broadsheet \(command.name)"))
            #expect(command.help.contains(command.example))
            for option in command.options { #expect(command.help.contains("--\(option.name) ")) }
        }
    }

    @Test func `defaults in the help are those of a start without options`() throws {
        let configuration = try ServeConfiguration(
            Settings(options: ServeCommand.options, arguments: [], environment: [:]) { _ in [] })
        func standard(_ name: String) -> String? {
            ServeCommand.options.first { $0.name == name }?.standard
        }
        #expect(standard("listen") == configuration.addresses.first?.description)
        #expect(standard("database") == configuration.databasePath)
        #expect(standard("max-connections") == "\(configuration.maximumConnections)")
        #expect(standard("grace") == "\(configuration.graceSeconds)")
        #expect(standard("readers") == "\(configuration.store.readers)")
        #expect(standard("cache-bytes") == "\(configuration.cacheBytes)")
        #expect(standard("queue-depth") == "\(configuration.store.writeQueueDepth)")
        #expect(standard("log") == configuration.log.rawValue)
        #expect(standard("log-level") == "\(configuration.logLevel)")
        #expect(standard("language") == configuration.defaultLanguage.text)
        #expect(standard("tls-profile") == configuration.transport.profile.rawValue)
        let limits = configuration.limits
        #expect(standard("max-body-bytes") == "\(limits.message.bodyBytes)")
        #expect(standard("body-rate") == "\(limits.bodyBytesPerSecond)")
        for (name, milliseconds) in [
            ("handshake-timeout", limits.handshakeMilliseconds),
            ("head-timeout", limits.headMilliseconds), ("body-timeout", limits.bodyMilliseconds),
            ("idle-timeout", limits.idleMilliseconds),
            ("write-timeout", limits.writeStallMilliseconds),
            ("handler-timeout", limits.handlerMilliseconds),
        ] {
            #expect(standard(name) == "\(milliseconds / 1_000)")
        }
    }
}
