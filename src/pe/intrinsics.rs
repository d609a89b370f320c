//! Intrinsics of the embedded library that read or change the state of the PE.

use super::element::{Environment, Pe};
use super::log::{CollectiveCall, MessageCall, MessageEnd, Traced};
use super::teardown_task::QUEUES;
use crate::arch::{InQueue, PeCoord};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::{NO_FUNCTION, SYMBOL_ID};
use crate::image::code::{Intrinsic, Op, Reg};
use crate::image::{ExportTarget, TileImage};
use crate::value::{f16, math};

/// Whether the effect of an intrinsic is visible outside at once.
fn can_be_seen(id: Intrinsic) -> bool {
    use Intrinsic::{ConfigRead, ConfigWrite, QueueFlush, ReceiveMessage, SendMessage, UnblockCommandStream};
    matches!(id, UnblockCommandStream | ConfigRead | ConfigWrite | QueueFlush | SendMessage | ReceiveMessage)
}

/// Whether the effect of the operation is visible outside at once.
pub(super) fn needs_clock(op: Op) -> bool {
    match op {
        Op::BlockUt { .. } | Op::UnblockUt { .. } | Op::FifoLength { .. } => true,
        Op::Intrinsic { id, .. } => can_be_seen(id),
        _ => false,
    }
}

impl Pe {
    /// Executes an intrinsic; its arguments are in registers `base..`.
    pub(super) fn intrinsic(
        &mut self,
        tile: &TileImage,
        id: Intrinsic,
        base: Reg,
        time: u64,
        environment: &mut Environment<'_>,
    ) -> Result<(), Diag> {
        let argument = |k: Reg| self.main.register(base + k);
        let result = match id {
            Intrinsic::PeX => self.at.x.into(),
            Intrinsic::PeY => self.at.y.into(),
            Intrinsic::TscRead => {
                let word = argument(0);
                if word == 0 && !self.rare.clock.was_started() {
                    self.checks.note_stopped_counter(tile, &self.main)?;
                }
                self.rare.clock.read(word, time)
            }
            Intrinsic::Random16 => self.rare.random.next16().into(),
            Intrinsic::Math32 | Intrinsic::Math16 => {
                let [function, x, y] = [argument(0), argument(1), argument(2)];
                let value = self.math_function(tile, id, function, (x, y))?;
                self.main.set_register(base, value);
                return Ok(());
            }
            Intrinsic::ConfigRead => {
                let address = argument(0) as u16;
                self.config_space(environment, time).read(address)?.into()
            }
            Intrinsic::ConfigWrite => {
                {
                    let (address, value) = (argument(0) as u16, argument(1) as u16);
                    self.config_space(environment, time).write(address, value)?;
                };
                return Ok(());
            }
            Intrinsic::SymbolAddress => symbol_address(tile, argument(0) as usize, argument(1))?,
            Intrinsic::QueueFlush => {
                {
                    // Code that the compiler did not write can name a queue that there is not.
                    let (queue, place) = (argument(0) as u16 % QUEUES, self.main.place(tile));
                    self.duties.flush(queue, place, &self.queues, &mut self.checks)?;
                };
                return Ok(());
            }
            Intrinsic::UnblockCommandStream => {
                self.checks.check_unblock(tile, &self.main)?;
                self.main.command_stream_blocked = false;
                return Ok(());
            }
            other => {
                self.request(tile, other, base, time, environment);
                return Ok(());
            }
        };
        self.main.set_register(base, result);
        Ok(())
    }

    fn math_function(
        &mut self,
        tile: &TileImage,
        id: Intrinsic,
        function: u64,
        (x, y): (u64, u64),
    ) -> Result<u64, Diag> {
        let function = math::MathFunction::from_number(function as u16).ok_or_else(|| NO_FUNCTION.plain())?;
        if id == Intrinsic::Math16 {
            self.checks.check_angle(tile, &self.main, function, f16::to_f32(x as u16))?;
            return Ok(math::eval16(function, x as u16, y as u16).into());
        }
        let (x, y) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
        self.checks.check_angle(tile, &self.main, function, x)?;
        Ok(math::eval32(function, x, y).to_bits().into())
    }

    /// Intrinsics without a result.
    fn request(
        &mut self,
        tile: &TileImage,
        id: Intrinsic,
        base: Reg,
        time: u64,
        environment: &mut Environment<'_>,
    ) {
        let argument = |k: Reg| self.main.register(base + k);
        let text = match id {
            Intrinsic::PrintString => {
                let text = text_of(tile, argument(0));
                text.split('\0').next().unwrap_or_default().to_string()
            }
            Intrinsic::PrintInt => integer(argument(0), argument(1), argument(2) as u16),
            Intrinsic::PrintF32 => format!("{:?}", f32::from_bits(argument(0) as u32)),
            Intrinsic::TscEnable => return self.rare.clock.enable(argument(0) != 0, time),
            Intrinsic::TscReset => return self.rare.clock.reset(time),
            Intrinsic::SetActivePrng => return self.rare.random.select(argument(0) as u16),
            Intrinsic::SeedPrng => return self.rare.random.seed(argument(0) as u32),
            Intrinsic::Trace => {
                let (key, tag) = (argument(0) as u32, argument(1) as u16);
                let value = [argument(2) as u32, argument(3) as u32];
                return environment.log.traced.push(Traced { pe: self.at, cycle: time, key, tag, value });
            }
            Intrinsic::Collective => {
                let line = argument(0) as u32;
                let argument = |k: Reg| argument(k) as u16;
                return environment.log.joined.push(CollectiveCall {
                    pe: self.at,
                    cycle: time,
                    is_column: line & 1 == 1,
                    color: (line as u16) >> 1,
                    kind: argument(1),
                    root: argument(2),
                    count: argument(3),
                    size: (line >> 16) as u16,
                    buffers: [argument(4), argument(5)],
                    calls: self.main.calls.places(tile),
                });
            }
            Intrinsic::SendMessage => {
                let argument = |k: Reg| argument(k) as u16;
                let (to, length) = (PeCoord { x: argument(0), y: argument(1) }, argument(2));
                environment.ramp.address_message(to, length);
                return self.note_message(
                    tile,
                    MessageEnd::Send { to, length },
                    argument(3),
                    time,
                    environment,
                );
            }
            Intrinsic::ReceiveMessage => {
                let room = argument(1) as u16;
                self.queues.receive_message(InQueue(argument(0) as u8));
                return self.note_message(tile, MessageEnd::Receive, room, time, environment);
            }
            other => unreachable!("{other:?} has a result"),
        };
        self.print(tile, &text, time, environment);
    }

    fn print(&mut self, tile: &TileImage, text: &str, time: u64, environment: &mut Environment<'_>) {
        self.rare.line.print(text, self.at, time, environment.log);
        if !self.rare.line.text.is_empty() {
            self.rare.line.note_last(time, self.main.calls.places(tile));
        }
    }

    fn note_message(
        &self,
        tile: &TileImage,
        end: MessageEnd,
        room: u16,
        cycle: u64,
        environment: &mut Environment<'_>,
    ) {
        let calls = self.main.calls.places(tile);
        environment.log.message_calls.push(MessageCall { pe: self.at, cycle, end, room, calls });
    }
}

/// Address of the advertised symbol with this id; `strings[names]` lists the names of all.
fn symbol_address(tile: &TileImage, id: usize, names: u64) -> Result<u64, Diag> {
    let names: Vec<&str> = text_of(tile, names).split(',').filter(|name| !name.is_empty()).collect();
    let name = id.checked_sub(1).and_then(|k| names.get(k));
    let export = tile.exports.iter().find(|export| Some(&export.name.as_str()) == name);
    match export.map(|export| export.target) {
        Some(ExportTarget::Pointer(at) | ExportTarget::Data(at)) => Ok(at.into()),
        Some(ExportTarget::Fn(_)) | None => {
            let known: Vec<String> = names.iter().zip(1..).map(|(name, id)| format!("{id} {name}")).collect();
            let c = SYMBOL_ID.because(&[("id", &id)]);
            Err(c.note(format!("the symbols are: {}", known.join(", "))).help("use `@get_symbol_id`"))
        }
    }
}

/// A text of the tile; empty if there is none with this number, which only a forged program can ask for.
fn text_of(tile: &TileImage, number: u64) -> &str {
    usize::try_from(number).ok().and_then(|n| tile.strings.get(n)).map_or("", String::as_str)
}

fn integer(x: u64, base: u64, digits: u16) -> String {
    let digits = usize::from(digits);
    match base {
        2 => format!("{x:0digits$b}"),
        16 => format!("{x:0digits$X}"),
        _ => format!("{x:0digits$}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_padded_and_hex_is_upper_case() {
        assert_eq!(
            (integer(10, 16, 4), integer(10, 2, 6), integer(10, 10, 0)),
            ("000A".into(), "001010".into(), "10".into())
        );
    }
}
