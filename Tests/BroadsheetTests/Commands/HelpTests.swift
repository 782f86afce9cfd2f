import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetCommandLine
import BroadsheetHTTP
import BroadsheetHTTP2
import BroadsheetHTTPServer
import BroadsheetSockets
import Testing

@testable import broadsheet

@Suite struct HelpTests {
    @Test func `the overview names every command`() {
        for command in Broadsheet.commands {
            #expect(HelpCommand.overview.contains("  \(command.name) "))
        }
    }

    @Test func `each page has an example of the command, and lists every option`() {
        for command in Broadsheet.commands {
            #expect(command.example.contains("broadsheet \(command.name)"))
            #expect(command.help.contains(command.example))
            for option in command.options { #expect(command.help.contains("--\(option.name) ")) }
        }
    }

    @Test func `a file that commands share may have the options of all`() {
        #expect(Broadsheet.configurationKeys.isSuperset(of: ["loops", "dryRun", "role"]))
        #expect(!Broadsheet.configurationKeys.contains("config"))
    }

    @Test func `the help of a command comes with the page of the manual about it`() throws {
        let both = try #require(HelpCommand.text("sync"))
        #expect(both.hasPrefix(SyncCommand.help) && both.contains("\n# Keeping a copy\n"))
        #expect(HelpCommand.text("serve") == ServeCommand.help)
        #expect(HelpCommand.text("tls")?.hasPrefix("# ") == true)
        #expect(HelpCommand.text("nothing") == nil)
    }

    @Test func `defaults in the help match a start without options`() throws {
        let configuration = try ServeConfiguration(
            Settings(options: ServeCommand.options, arguments: [], environment: [:]) { _ in [] })
        func defaultValue(_ name: String) -> String? {
            ServeCommand.options.first { $0.name == name }?.defaultValue
        }
        #expect(defaultValue("listen") == configuration.addresses.first?.description)
        #expect(defaultValue("database") == configuration.databasePath)
        #expect(defaultValue("max-connections") == "\(configuration.limitConnections)")
        #expect(defaultValue("grace") == "\(configuration.graceSeconds)")
        #expect(defaultValue("readers") == "\(configuration.store.readers)")
        #expect(defaultValue("cache-bytes") == "\(configuration.cacheBytes)")
        #expect(defaultValue("queue-depth") == "\(configuration.store.writeQueueDepth)")
        #expect(defaultValue("log") == configuration.log.rawValue)
        #expect(defaultValue("log-level") == "\(configuration.logLevel)")
        #expect(defaultValue("language") == configuration.defaultLanguage.text)
        #expect(defaultValue("tls-profile") == configuration.transport.profile.rawValue)
        #expect(defaultValue("http2-streams") == "\(configuration.transport.http2.streams)")
        #expect(
            defaultValue("http2-field-bytes")
                == "\(configuration.transport.http2.fieldListBytes)")
        let limits = configuration.limits
        #expect(defaultValue("max-body-bytes") == "\(limits.message.bodyBytes)")
        #expect(defaultValue("body-rate") == "\(limits.bodyBytesPerSecond)")
        for (name, milliseconds) in [
            ("handshake-timeout", limits.handshakeMilliseconds),
            ("head-timeout", limits.headMilliseconds), ("body-timeout", limits.bodyMilliseconds),
            ("idle-timeout", limits.idleMilliseconds),
            ("write-timeout", limits.writeStallMilliseconds),
            ("handler-timeout", limits.handlerMilliseconds),
        ] {
            #expect(defaultValue(name) == "\(milliseconds / 1_000)")
        }
    }
}
