import Foundation
import PackagePlugin

/// `swift package generate-models …`: runs `broadsheet-generate` with the same arguments in the
/// package's folder.
@main
struct GenerateModels: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let process = Process()
        process.executableURL = try context.tool(named: "broadsheet-generate").url
        process.arguments = arguments
        process.currentDirectoryURL = context.package.directoryURL
        // That of a plugin carries its messages.
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        // The program has said why.
        if process.terminationStatus != 0 { throw Failure() }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description = "nothing was generated"
    }
}
