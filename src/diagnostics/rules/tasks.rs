//! Rules of the wafer as a whole: tasks and wavelets of all PEs together.

crate::rules! {
    /// A task that never ends would keep the run going for ever, so there is a limit.
    CYCLE_LIMIT = "cycle-limit": "the program is not finished after {limit} cycles";
    /// When nothing can move any more, what has not finished never will.
    DEADLOCK = "deadlock": "deadlock at cycle {cycle}: {what} can never finish";
    /// Wavelets that nobody takes mean that sender and receiver disagree about their number.
    @Warning LEFTOVER_WAVELETS = "leftover-wavelets": "wavelets of color {color} are left on {pe} at the end";
    /// An active task runs once it is also unblocked; one that stays blocked was forgotten.
    @Warning TASK_STAYS_BLOCKED = "task-stays-blocked": "{task} on {pe} is active but blocked at the end";
    /// A router passes on only the colors that the layout has configured for it.
    UNROUTED_COLOR = "unrouted-color": "{pe} sends on color {color}, which has no route there";
}
