/// The part of an undo manager that a history uses.
package protocol UndoRegistry: AnyObject {
    /// Registers an action for undo; during undo, for redo.
    func register(_ action: @escaping () -> Void)
    func undo()
    func redo()
    /// Forgets the actions of the history, and no others.
    func removeAll()
}

#if canImport(FoundationEssentials)
    // Without Foundation, there is no undo manager.
#else
    public import Foundation

    extension EditHistory {
        /// Registers the steps of the history with an undo manager, such as that of a responder or
        /// a window: from now on they are undone and redone there, in turn with the actions of
        /// others.
        ///
        /// `history.register(with: textView.undoManager)`
        ///
        /// Letters that are typed without a pause are one action. Actions of a history that is gone
        /// do nothing; `removeAll()` removes them. Edit it on the main actor only.
        @MainActor public func register(with manager: UndoManager) {
            register(with: UndoManagerRegistry(manager))
        }
    }

    /// An undo manager that is used on the main actor.
    @MainActor private final class UndoManagerRegistry: UndoRegistry {
        /// It belongs to a responder, which may own the history.
        private weak var manager: UndoManager?

        init(_ manager: UndoManager) { self.manager = manager }

        nonisolated func register(_ action: @escaping () -> Void) {
            // Called on the main actor, and nowhere else.
            nonisolated(unsafe) let action = action
            MainActor.assumeIsolated {
                // The manager does not retain the target, but it does retain the closure.
                manager?.registerUndo(withTarget: self) { [self] _ in
                    action()
                    withExtendedLifetime(self) {}
                }
            }
        }

        nonisolated func undo() { MainActor.assumeIsolated { manager?.undo() } }
        nonisolated func redo() { MainActor.assumeIsolated { manager?.redo() } }

        nonisolated func removeAll() {
            MainActor.assumeIsolated { manager?.removeAllActions(withTarget: self) }
        }
    }
#endif
