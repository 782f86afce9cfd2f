import ArticleClient
import Dispatch
import Glibc

/// What somebody typed.
enum Key {
    case up, down, enter, escape, backspace
    case text(String)

    /// The keys of what a terminal sends at once.
    static func keys(in bytes: [UInt8]) -> [Key] {
        var (keys, text, rest): ([Key], [UInt8], _) = ([], [], bytes[...])
        while let byte = rest.popFirst() {
            if byte >= 0x20, byte != 0x7F { text.append(byte) }
            if !text.isEmpty, rest.first.map({ $0 < 0x20 || $0 == 0x7F }) ?? true {
                keys += String(decoding: text, as: UTF8.self).map { .text(String($0)) }
                text = []
            }
            switch byte {
            case 0x1B where rest.first == UInt8(ascii: "["):
                let letter = rest.dropFirst().first
                keys.append(letter == UInt8(ascii: "A") ? .up : .down)
                rest = rest.dropFirst(2)
            case 0x1B: keys.append(.escape)
            case 0x0D: keys.append(.enter)
            case 0x7F: keys.append(.backspace)
            default: break
            }
        }
        return keys
    }
}

/// What is on the screen: lines by their numbers, from the top.
private typealias Frame = Snapshot<Region, Line>

private enum Region: Identifiable {
    case lines, status

    var id: Region { self }
}

private struct Line: Identifiable, Equatable {
    let id: Int
    let text: String
}

/// The terminal in raw mode, on its second screen.
@MainActor final class Terminal {
    private var before = termios()
    private var frame = Frame()
    private var frameSize = (rows: 0, columns: 0)
    private let input = DispatchSource.makeReadSource(fileDescriptor: 0, queue: .main)

    /// - Parameter onKeys: called with what was typed; with nothing when the input has ended.
    init(_ onKeys: @escaping @MainActor ([Key]) -> Void) {
        tcgetattr(0, &before)
        var raw = before
        cfmakeraw(&raw)
        tcsetattr(0, TCSANOW, &raw)
        input.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 1_024)
            let count = read(0, &bytes, bytes.count)
            MainActor.assumeIsolated { onKeys(Key.keys(in: Array(bytes.prefix(max(0, count))))) }
        }
        input.activate()
        write("\u{1B}[?1049h")
    }

    func leave() {
        write("\u{1B}[?1049l")
        tcsetattr(0, TCSANOW, &before)
    }

    var size: (rows: Int, columns: Int) {
        var size = winsize()
        let isKnown = ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 2 && size.ws_col > 9
        return isKnown ? (Int(size.ws_row), Int(size.ws_col)) : (24, 80)
    }

    /// Shows the lines from the top, and one at the bottom; draws only those that have changed.
    func show(_ lines: [String], status: String) {
        let size = size
        var orders = ""
        if size != frameSize {
            (frame, frameSize) = (Frame(), size)
            orders = "\u{1B}[2J"
        }
        let shown = lines.prefix(size.rows - 1).enumerated().map { number, text in
            Line(id: number, text: Self.fitted(text, size.columns))
        }
        let last = Line(id: size.rows - 1, text: Self.fitted(status, size.columns))
        let new = Frame([
            .init(section: .lines, items: shown), .init(section: .status, items: [last]),
        ])
        for step in new.difference(from: frame).steps {
            switch step {
            case .updateItem(let line, _), .insertItem(let line, _):
                let style = line.id == last.id ? "\u{1B}[7m" : ""
                orders += "\u{1B}[\(line.id + 1);1H\u{1B}[2K\(style)\(line.text)\u{1B}[0m"
            case .removeItem(let place):
                guard let line = frame.item(at: place) else { continue }
                orders += "\u{1B}[\(line.id + 1);1H\u{1B}[2K"
            case .updateSection, .removeSection, .insertSection, .moveSection, .moveItem: continue
            }
        }
        frame = new
        write(orders)
    }

    private func write(_ text: String) {
        print(text, terminator: "")
        fflush(nil)
    }

    /// The text as far as there is room, without anything that a terminal would take for an order.
    static func fitted(_ text: String, _ columns: Int) -> String {
        String(wrapped(text, columns).first ?? "")
    }

    /// The text in lines of at most so many columns; Hangul, kana and Han take two.
    static func wrapped(_ text: String, _ columns: Int) -> [String] {
        var (lines, width) = ([""], 0)
        for scalar in text.unicodeScalars where scalar != "\r" {
            let isControl = scalar.properties.generalCategory == .control
            let needed = scalar.value >= 0x2E80 ? 2 : 1
            if scalar == "\n" || width + needed > columns { (lines, width) = (lines + [""], 0) }
            if scalar == "\n" { continue }
            lines[lines.count - 1].unicodeScalars.append(isControl ? " " : scalar)
            width += needed
        }
        return lines
    }
}
