//! The commands in a control wavelet (docs/decisions.md).

/// What a router does when a control wavelet has passed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SwitchCommand {
    /// Nothing.
    Nop,
    /// To the next switch position.
    Advance,
    /// To switch position 0.
    Reset,
    /// Suspend the color.
    Teardown,
}

const NO_CE: u32 = 4;

/// The eight commands as one number, three bits each, the first one lowest. On the wire they start
/// at bit 22 and go on from bit 0 after bit 29; bits 16 to 21 hold the task.
fn commands(word: u32) -> u32 {
    (word >> 22 & 0xff) | (word & 0xffff) << 8
}

/// The command for this router.
pub fn command(word: u32) -> SwitchCommand {
    match commands(word) & 3 {
        0 => SwitchCommand::Nop,
        1 => SwitchCommand::Advance,
        2 => SwitchCommand::Reset,
        _ => SwitchCommand::Teardown,
    }
}

/// Whether this router keeps the wavelet from its PE.
pub fn skips_ce(word: u32) -> bool {
    commands(word) & NO_CE != 0
}

/// The word without its first command; the last place is filled with a NOP for routers only.
pub fn popped(word: u32) -> u32 {
    let rest = commands(word) >> 3 | NO_CE << 21;
    (word & 0xc03f_0000) | (rest & 0xff) << 22 | rest >> 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_null_task_with_one_advance_is_not_delivered() {
        let word = 31 << 16 | 1 << 22 | 1 << 24;
        assert_eq!(word, 0x015f_0000);
        assert_eq!(command(word), SwitchCommand::Advance);
        assert!(skips_ce(word));
    }

    #[test]
    fn a_task_with_one_advance_and_data_is_delivered() {
        assert_eq!(command(0x0068_0006), SwitchCommand::Advance);
        assert!(!skips_ce(0x0068_0006));
    }

    #[test]
    fn popping_moves_the_second_command_to_the_front() {
        assert_eq!(popped(0x09df_9249), 0x091f_9249);
        // TEARDOWN first, ADVANCE second.
        let word = 3 << 22 | 1 << 25;
        assert_eq!(command(word), SwitchCommand::Teardown);
        assert_eq!(command(popped(word)), SwitchCommand::Advance);
    }
}
