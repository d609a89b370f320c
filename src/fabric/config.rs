//! The registers of a router, as programs read and write them while they run.

use super::grid::Grid;
use crate::arch::config::{ConfigWord, routes, switch};
use crate::arch::{Arch, ArchName, Color};
use crate::image::ColorConfig;
use crate::image::routes::{Directions, PopMode, Position, Switches};

const POP_MODES: [PopMode; 4] =
    [PopMode::NoPop, PopMode::AlwaysPop, PopMode::OnAdvance, PopMode::OnAdvanceNop];

/// The word at an address; `None` if routers have none there.
pub fn word(grid: &Grid, pe: usize, address: u16) -> Option<u16> {
    let word = router_word(grid.arch(), address)?;
    let lane = grid.lane_or_new(pe, color_of(word)?);
    let config = grid.config(&lane);
    Some(match word {
        ConfigWord::Routes(_) => route_word(config) | if lane.is_torn_down() { routes::TEARDOWN } else { 0 },
        ConfigWord::Switch(_) => {
            u16::from(lane.position()) << switch::POSITION_SHIFT | switch_word(grid.arch().name, config)
        }
        ConfigWord::Position(_, n) => position_word(switches(config).positions[usize::from(n) - 1]),
        ConfigWord::Filter(_, place) => return lane.filter()?.word(place),
        ConfigWord::Pe(..) => return None,
    })
}

/// What a write of a word has changed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// Nothing: there is no such word.
    Nothing,
    /// What a filter lets pass.
    Filter,
    /// The route or switch of a lane, by its number; the flag tells whether its color swap has changed.
    Lane(u32, bool),
}

/// Writes a word of a router.
pub fn set_word(grid: &mut Grid, pe: usize, address: u16, value: u16) -> Written {
    let word = router_word(grid.arch(), address);
    let Some((word, color)) = word.and_then(|word| Some((word, color_of(word)?))) else {
        return Written::Nothing;
    };
    let id = grid.lane_of(pe, color);
    let mut config = grid.config(grid.lane(id)).clone();
    let swapped = (config.swap_x, config.swap_y);
    let lane = grid.lane_mut(id);
    match word {
        ConfigWord::Filter(_, place) => {
            let is_set = lane.filter_mut().is_some_and(|f| f.set_word(place, value));
            return if is_set { Written::Filter } else { Written::Nothing };
        }
        ConfigWord::Routes(_) => lane.tear_down(value & routes::TEARDOWN != 0),
        ConfigWord::Switch(_) => lane.set_position((value >> switch::POSITION_SHIFT & 3) as u8),
        ConfigWord::Position(..) => {}
        ConfigWord::Pe(..) => return Written::Nothing,
    }
    rewrite(grid.arch().name, &mut config, word, value);
    let swaps = swapped != (config.swap_x, config.swap_y);
    grid.reconfigure(id, config);
    Written::Lane(id, swaps)
}

fn router_word(arch: &Arch, address: u16) -> Option<ConfigWord> {
    let word = ConfigWord::at(arch.name, address)?;
    let has_switch = |color: Color| arch.switch_colors & 1 << color.0 != 0;
    match word {
        ConfigWord::Switch(color) | ConfigWord::Position(color, _) => has_switch(color).then_some(word),
        ConfigWord::Routes(_) | ConfigWord::Filter(..) | ConfigWord::Pe(..) => Some(word),
    }
}

/// Changes a configuration as a write of one of its words does.
fn rewrite(arch: ArchName, config: &mut ColorConfig, word: ConfigWord, value: u16) {
    match word {
        ConfigWord::Routes(_) => set_route_word(config, value),
        ConfigWord::Switch(_) => set_switch_word(arch, config, value),
        ConfigWord::Position(_, n) => {
            let (rx, tx) = routes::unpack(value);
            let side = |mask: u8| (mask != 0).then_some(Directions(mask));
            let position = Position { rx: side(rx), tx: side(tx) };
            let all = config.switches.get_or_insert(Switches::NONE);
            all.positions[usize::from(n) - 1] = (rx | tx != 0).then_some(position);
        }
        ConfigWord::Filter(..) | ConfigWord::Pe(..) => {}
    }
}

fn color_of(word: ConfigWord) -> Option<Color> {
    match word {
        ConfigWord::Routes(color)
        | ConfigWord::Switch(color)
        | ConfigWord::Position(color, _)
        | ConfigWord::Filter(color, _) => Some(color),
        ConfigWord::Pe(..) => None,
    }
}

fn switches(config: &ColorConfig) -> &Switches {
    config.switches.as_ref().unwrap_or(&Switches::NONE)
}

fn route_word(config: &ColorConfig) -> u16 {
    let pop = POP_MODES.iter().position(|m| *m == switches(config).pop).expect("all modes are listed");
    let flag = |on: bool, bit: u16| if on { bit } else { 0 };
    routes::pack(config.rx.0, config.tx.0)
        | flag(config.swap_y, routes::SWAP_Y)
        | flag(config.swap_x, routes::SWAP_X)
        | (pop as u16) << routes::POP_SHIFT
}

fn set_route_word(config: &mut ColorConfig, value: u16) {
    let (rx, tx) = routes::unpack(value);
    (config.rx, config.tx) = (Directions(rx), Directions(tx));
    config.swap_y = value & routes::SWAP_Y != 0;
    config.swap_x = value & routes::SWAP_X != 0;
    let pop = POP_MODES[usize::from(value >> routes::POP_SHIFT & 3)];
    if pop != switches(config).pop {
        config.switches.get_or_insert(Switches::NONE).pop = pop;
    }
}

/// Ring mode, and on WSE-2 the positions; those of WSE-3 have words of their own.
fn switch_word(arch: ArchName, config: &ColorConfig) -> u16 {
    let switches = switches(config);
    let ring = if switches.ring { switch::RING } else { 0 };
    let positions = match arch {
        ArchName::Wse2 => (0..3).map(|i| field(switches, i) << (switch::FIELD * i as u16)).sum(),
        ArchName::Wse3 => 0,
    };
    ring | positions
}

fn set_switch_word(arch: ArchName, config: &mut ColorConfig, value: u16) {
    let switches = config.switches.get_or_insert(Switches::NONE);
    switches.ring = value & switch::RING != 0;
    if arch == ArchName::Wse3 {
        return;
    }
    for i in 0..switches.positions.len() {
        let new = value >> (switch::FIELD * i as u16) & 0xf;
        // A field holds one direction: what it cannot show stays until it is changed.
        if new != field(switches, i) {
            switches.positions[i] = position_of(new);
        }
        switches.idle_inputs &= !(1 << i);
        if switches.positions[i].is_none() && new & switch::IS_INPUT != 0 {
            switches.idle_inputs |= 1 << i;
        }
    }
}

/// The four bits of position `i + 1`.
fn field(switches: &Switches, i: usize) -> u16 {
    let first = |side: Option<Directions>| side.and_then(|d| d.iter().next());
    match switches.positions[i].map(|p| (first(p.rx), first(p.tx))) {
        Some((Some(rx), _)) => switch::number(rx) | switch::IS_INPUT,
        Some((None, Some(tx))) => switch::number(tx),
        Some((None, None)) | None if switches.idle_inputs & 1 << i != 0 => switch::INVALID | switch::IS_INPUT,
        Some((None, None)) | None => switch::INVALID,
    }
}

fn position_of(field: u16) -> Option<Position> {
    let side = Some(Directions::only(switch::direction(field)?));
    Some(match field & switch::IS_INPUT != 0 {
        true => Position { rx: side, tx: None },
        false => Position { rx: None, tx: side },
    })
}

fn position_word(position: Option<Position>) -> u16 {
    let mask = |side: Option<Directions>| side.map_or(0, |d| d.0);
    position.map_or(0, |p| routes::pack(mask(p.rx), mask(p.tx)))
}
