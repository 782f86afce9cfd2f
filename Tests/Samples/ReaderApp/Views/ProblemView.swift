import BroadsheetKit
import SwiftUI

/// An error in place of what could not be shown.
struct ProblemView: View {
    private let text: ErrorText

    init(_ text: ErrorText) { self.text = text }

    var body: some View {
        ContentUnavailableView {
            Label(text.title, systemImage: "exclamationmark.triangle")
        } description: {
            Text(verbatim: "\(text.message) \(text.advice)")
        }
    }
}

/// An error beside what is shown.
struct ProblemRow: View {
    private let text: ErrorText
    private let retry: (@MainActor () async -> Void)?

    /// - Parameter retry: tries again; `nil` where the user does so by other means.
    init(_ text: ErrorText, retry: (@MainActor () async -> Void)? = nil) {
        self.text = text
        self.retry = retry
    }

    var body: some View {
        VStack(alignment: .leading, spacing: 4) {
            Label(text.title, systemImage: "exclamationmark.triangle").font(.headline)
            Text(verbatim: "\(text.message) \(text.advice)").font(.subheadline)
            if let retry, text.retry != .never {
                Button("Try again") { Task { await retry() } }
            }
        }
        .accessibilityElement(children: .combine)
    }
}

/// The hint that what is shown may not be current.
struct OfflineHint: View {
    var body: some View {
        Label("Offline: you see what is on this device.", systemImage: "wifi.slash")
            .font(.footnote)
            .foregroundStyle(.secondary)
    }
}

/// The state of what was written and has not been sent.
struct PendingLabel: View {
    private let status: OutboxEntry.Status

    init(_ status: OutboxEntry.Status) { self.status = status }

    var body: some View {
        content.font(.caption).foregroundStyle(.orange)
    }

    @ViewBuilder private var content: some View {
        switch status {
        case .waiting: Label("Not sent yet", systemImage: "clock")
        case .sending: Label("Being sent", systemImage: "arrow.up.circle")
        case .conflict:
            Label("Somebody else has changed it, too", systemImage: "arrow.triangle.branch")
        case .needsConfirmation: Label("Send again?", systemImage: "questionmark.circle")
        case .rejected: Label("Not accepted", systemImage: "xmark.circle")
        }
    }
}
