//! The configuration struct of a color (builtins section 4).

use super::arguments::chosen;
use super::choices::{bad_choice, unknown_setting};
use super::ids;
use super::properties::written_at;
use crate::arch::config::routes as word;
use crate::arch::{Arch, ArchName, Color, Direction};
use crate::diagnostics::rules::{comptime, layout as rules, tasks};
use crate::diagnostics::{At, Result};
use crate::image::ColorConfig;
use crate::image::routes::{Directions, Filter, Inject, PopMode, Position, Switches};
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::syntax::ast::ExprId;
use crate::value::ty::{IdKind, Ty};
use smol_str::SmolStr;

/// The switch position in which the router begins.
const INITIAL_POSITION: &str = "current_switch_pos";

type ColorFields = Vec<(SmolStr, Value)>;

/// A color that may be routed.
pub fn color_arg(sema: &mut Sema<'_>, id: ExprId) -> Result<Color> {
    let at = sema.span(id);
    let color = Operand::Known(sema.known_as(id, &Ty::Id(IdKind::Color))?);
    ids::refuse_no_color(sema, &color).at(at)?;
    match color {
        Operand::Known(Value::Id(_, n)) => Ok(Color(n as u8)),
        other => unreachable!("{} is not a color", other.ty()),
    }
}

/// `.{ .routes = .., .switches = .., .filter = .., .teardown = .. }`
pub fn color_config(sema: &mut Sema<'_>, id: ExprId, color: Color) -> Result<ColorConfig> {
    let at = sema.span(id);
    let v = sema.known(id)?;
    let Some(site) = sema.repeated(at) else { return read_config(sema, &v, color, id).at(at) };
    if let Some(config) = sema.repeats.config(site, &v, color) {
        return Ok(config);
    }
    let told = sema.reports.told();
    let config = read_config(sema, &v, color, id).at(at)?;
    // What it has reported, it reports again.
    if told == sema.reports.told() {
        sema.repeats.note_config(site, v, color, &config);
    }
    Ok(config)
}

fn read_config(sema: &mut Sema<'_>, v: &Value, color: Color, id: ExprId) -> Result<ColorConfig> {
    let at = sema.span(id);
    let fields = v
        .fields()
        .ok_or_else(|| comptime::TYPE_MISMATCH.because(&[("want", &"a struct"), ("have", &v.ty())]))?;
    let (mut routes, mut switches, mut filter): (ColorFields, ColorFields, ColorFields) = Default::default();
    let (mut has_routes, mut old) = (false, false);
    let mut config = ColorConfig::default();
    for (name, v) in fields {
        match (name.as_str(), &v) {
            ("routes", Value::Int(..)) => {
                has_routes = true;
                (config.rx, config.tx) = sides(&v)?;
            }
            ("routes", v) => {
                has_routes = true;
                routes.extend(v.fields().unwrap_or_default());
            }
            ("switches", v) => switches.extend(v.fields().unwrap_or_default()),
            ("filter", v) => filter.extend(v.fields().unwrap_or_default()),
            ("teardown", Value::Bool(b)) => config.teardown = *b,
            // spellings of SDK 0.5 and before lie flat
            ("rx" | "tx" | "color_swap_x" | "color_swap_y", _) => {
                (has_routes, old) = (true, true);
                routes.push((name, v));
            }
            ("pos1" | "pos2" | "pos3" | "ring_mode" | "pop_mode" | "current_switch_pos", _) => {
                old = true;
                switches.push((name, v));
            }
            _ => return Err(unknown_setting(&name, "a color configuration", CONFIGURATION)),
        }
    }
    if old {
        sema.report(rules::OLD_COLOR_CONFIG.plain().at(at));
    }
    if !has_routes {
        return Err(rules::NO_ROUTES.plain().help("write `.routes = .{ .rx = .., .tx = .. }`"));
    }
    read_routes(sema.arch, routes, &mut config, &mut switches)?;
    check_receiving(sema.arch, config.rx).map_err(|c| c.at(at)).or_else(|c| sema.lint(c))?;
    if !switches.is_empty() {
        let inject = switches.iter().position(|(name, _)| name == "ce_inject");
        if let Some(at) = inject {
            config.inject = Some(read_inject(sema.arch, &switches.remove(at).1)?);
            check_injecting(&switches)?;
        }
        check_switch(sema.arch, color).map_err(|c| c.at(at)).or_else(|c| sema.lint(c))?;
        let initial = written_at(&sema.eval, id, INITIAL_POSITION).unwrap_or(at);
        config.switches = Some(read_switches(sema.arch, switches, initial)?);
    }
    if !filter.is_empty() {
        config.filter = Some(read_filter(filter)?);
    }
    Ok(config)
}

fn read_routes(
    arch: &Arch,
    fields: ColorFields,
    config: &mut ColorConfig,
    switches: &mut ColorFields,
) -> Result<()> {
    for (name, v) in fields {
        match (name.as_str(), &v) {
            ("rx", v) => config.rx = directions(v)?,
            ("tx", v) => config.tx = directions(v)?,
            ("color_swap_x", Value::Bool(b)) => config.swap_x = swap(arch, *b)?,
            ("color_swap_y", Value::Bool(b)) => config.swap_y = swap(arch, *b)?,
            ("pop_mode", _) => switches.push((name, v)),
            // seen in public programs, without a known effect
            ("p2p", Value::Bool(_)) => {}
            _ => return Err(unknown_setting(&name, "`.routes`", ROUTES)),
        }
    }
    Ok(())
}

fn swap(arch: &Arch, on: bool) -> Result<bool> {
    if on && arch.name == ArchName::Wse3 {
        return Err(tasks::ONLY_ON_WSE2.because(&[("what", &"color swap")]));
    }
    Ok(on)
}

/// `.ce_inject`: the number of a priority, or its name (ruling OQ-19).
fn read_inject(arch: &Arch, v: &Value) -> Result<Inject> {
    if arch.name == ArchName::Wse3 {
        return Err(tasks::ONLY_ON_WSE2.because(&[("what", &"CE injection")]));
    }
    let choices = "`.priority = 0`, `.priority = 1`, `.low_priority = true`, `.high_priority = true`";
    match v.fields().unwrap_or_default().as_slice() {
        [(name, n)] if name == "priority" && n.to::<u8>() == Some(0) => Ok(Inject::Low),
        [(name, n)] if name == "priority" && n.to::<u8>() == Some(1) => Ok(Inject::High),
        [(name, Value::Bool(true))] if name == "low_priority" => Ok(Inject::Low),
        [(name, Value::Bool(true))] if name == "high_priority" => Ok(Inject::High),
        _ => Err(bad_choice(v, choices)),
    }
}

fn check_receiving(arch: &Arch, set: Directions) -> Result<()> {
    // a WSE-3 router listens to one side at a time (ruling OQ-51)
    if arch.name == ArchName::Wse3 && set.iter().count() > 1 {
        return Err(rules::ONE_RX.because(&[("directions", &set)]));
    }
    Ok(())
}

fn check_switch(arch: &Arch, color: Color) -> Result<()> {
    if arch.switch_colors & 1 << color.0 == 0 {
        let c = rules::NO_SWITCH.because(&[("color", &color), ("arch", &arch.word)]);
        let have = (0..32).filter(|n| arch.switch_colors & 1 << n != 0).map(|n| n.to_string());
        return Err(c.help(format!("use one of the colors {}", have.collect::<Vec<_>>().join(", "))));
    }
    Ok(())
}

/// `initial` is the place of `.current_switch_pos`.
fn read_switches(arch: &Arch, fields: ColorFields, initial: Span) -> Result<Switches> {
    let mut s = Switches::NONE;
    for (name, v) in fields {
        match (name.as_str(), &v) {
            ("pos1", v) => s.positions[0] = position(arch, v)?,
            ("pos2", v) => s.positions[1] = position(arch, v)?,
            ("pos3", v) => s.positions[2] = position(arch, v)?,
            ("ring_mode", Value::Bool(b)) => s.ring = *b,
            (INITIAL_POSITION, v) => {
                s.current = v.to::<u8>().filter(|n| *n <= 3).ok_or_else(|| {
                    let help = "`.current_switch_pos` is 0, or the number of a `.pos1`, `.pos2` or `.pos3`";
                    bad_choice(v, "0 to 3").at(initial).help(help)
                })?;
            }
            ("pop_mode", v) => s.pop = pop_mode(v)?,
            _ => return Err(unknown_setting(&name, "`.switches`", SWITCHES)),
        }
    }
    Ok(s)
}

fn position(arch: &Arch, v: &Value) -> Result<Option<Position>> {
    let (mut rx, mut tx, mut is_invalid) = (None, None, false);
    if let Value::Int(..) = v {
        let (from, to) = sides(v)?;
        if from.is_empty() && to.is_empty() {
            return Ok(None);
        }
        (rx, tx) = (Some(from).filter(|d| !d.is_empty()), Some(to).filter(|d| !d.is_empty()));
    }
    for (name, v) in v.fields().unwrap_or_default() {
        match (name.as_str(), &v) {
            ("invalid", Value::Bool(set)) => is_invalid = *set,
            ("rx", v) => rx = Some(directions(v)?),
            ("tx", v) => tx = Some(directions(v)?),
            _ => return Err(unknown_setting(&name, "a switch position", POSITION)),
        }
    }
    if is_invalid {
        return unused_position(rx.is_some() || tx.is_some());
    }
    let both = rx.is_some() && tx.is_some();
    if both && arch.name == ArchName::Wse2 || rx.is_none() && tx.is_none() {
        let what = if both { "changes both `.rx` and `.tx`" } else { "changes neither `.rx` nor `.tx`" };
        let c = rules::SWITCH_POSITION.because(&[("what", &what)]);
        return Err(c.help("write `.rx = ..` or `.tx = ..`"));
    }
    if rx.is_some_and(|d| d.iter().count() != 1) {
        let c = rules::SWITCH_POSITION.because(&[("what", &"receives from several directions")]);
        return Err(c.help("give one direction in `.rx`"));
    }
    if arch.name == ArchName::Wse2 && tx.is_some_and(|d| d.iter().count() > 1) {
        let c =
            tasks::ONLY_ON_WSE3.because(&[("what", &"a switch position with several directions in `.tx`")]);
        return Err(c.help("give one direction in `.tx`"));
    }
    Ok(Some(Position { rx, tx }))
}

/// A position that is not used has no directions (ruling: exactly one of the three).
fn unused_position(has_directions: bool) -> Result<Option<Position>> {
    if !has_directions {
        return Ok(None);
    }
    let c = rules::SWITCH_POSITION.because(&[("what", &"that is not valid has directions")]);
    Err(c.help("remove `.invalid = true`, or the directions"))
}

/// Of an injecting color only the directions of position 1 and what control wavelets lose can be set.
fn check_injecting(switches: &ColorFields) -> Result<()> {
    for (name, v) in switches {
        let fields = v.fields().unwrap_or_default();
        let ok = match name.as_str() {
            "pop_mode" => true,
            "pos1" => fields.iter().all(|(side, v)| {
                side != "rx" || directions(v).is_ok_and(|d| d == Directions::only(Direction::Ramp))
            }),
            _ => false,
        };
        if !ok {
            return Err(rules::INJECT_SWITCH
                .because(&[("name", name)])
                .help("position 0 receives from the fabric and position 1 from RAMP: remove the rest"));
        }
    }
    Ok(())
}

/// What a color configuration may have.
pub const CONFIGURATION: &[&str] = &["routes", "switches", "filter", "teardown"];
/// What `.switches` may have.
pub const SWITCHES: &[&str] =
    &["pos1", "pos2", "pos3", "current_switch_pos", "ring_mode", "pop_mode", "ce_inject"];
/// What `.routes` may have.
pub const ROUTES: &[&str] = &["rx", "tx", "color_swap_x", "color_swap_y"];
/// What a switch position may have.
pub const POSITION: &[&str] = &["rx", "tx", "invalid"];

fn directions(v: &Value) -> Result<Directions> {
    let mut set = Directions::default();
    let list = match v {
        Value::Id(IdKind::Direction, _) => vec![v.clone()],
        Value::Record(r) => r.fields.clone(),
        Value::Array(a) => (0..a.ty.len()).filter_map(|i| a.get(i).cloned()).collect(),
        _ => return Err(bad_choice(v, "directions such as `.{ EAST, RAMP }`")),
    };
    for d in &list {
        let Value::Id(IdKind::Direction, n) = d else {
            return Err(bad_choice(d, "NORTH, SOUTH, EAST, WEST, RAMP"));
        };
        let d = Direction::from_number(*n as u8)
            .ok_or_else(|| bad_choice(d, "NORTH, SOUTH, EAST, WEST, RAMP"))?;
        if !set.insert(d) {
            return Err(rules::DIRECTION_TWICE.because(&[("direction", &d)]));
        }
    }
    Ok(set)
}

/// The sides `(rx, tx)` of a bit vector, with the bits that `<directions>` names.
fn sides(v: &Value) -> Result<(Directions, Directions)> {
    let bits = v.to::<u16>().filter(|bits| *bits <= word::SIDES);
    let bits = bits.ok_or_else(|| bad_choice(v, "bits of `<directions>`, such as `RX_WEST | TX_RAMP`"))?;
    let (rx, tx) = word::unpack(bits);
    Ok((Directions(rx), Directions(tx)))
}

fn pop_mode(v: &Value) -> Result<PopMode> {
    match chosen(v).as_deref() {
        Some("no_pop") => Ok(PopMode::NoPop),
        Some("always_pop") => Ok(PopMode::AlwaysPop),
        Some("pop_on_advance") => Ok(PopMode::OnAdvance),
        Some("pop_on_advance_nop") => Ok(PopMode::OnAdvanceNop),
        _ => Err(bad_choice(v, "`.no_pop`, `.always_pop`, `.pop_on_advance`, `.pop_on_advance_nop`")),
    }
}

fn read_filter(fields: ColorFields) -> Result<Filter> {
    let kind = fields.iter().find(|(n, _)| n == "kind").and_then(|(_, v)| chosen(v));
    let kind = kind.ok_or_else(|| rules::FILTER_KIND.plain().help("write `.kind = .{ .range = true }`"))?;
    let allowed: &[&str] = match kind.as_str() {
        "range" => &["kind", "min_idx", "max_idx"],
        "counter" => &[
            "kind",
            "count_data",
            "count_control",
            "init_counter",
            "limit1",
            "max_counter",
            "filter_control",
            // seen in public programs, without a known effect
            "fast_mode",
        ],
        "sparse_counter" => {
            &["kind", "count_data", "count_control", "init_counter", "limit1", "limit2", "max_counter"]
        }
        _ => {
            let help = "the kinds are `.range`, `.counter` and `.sparse_counter`";
            return Err(rules::FILTER_KIND.plain().help(help));
        }
    };
    if let Some((name, _)) = fields.iter().find(|(n, _)| !allowed.contains(&n.as_str())) {
        return Err(unknown_setting(name, &format!("a {kind} filter"), allowed));
    }
    let get = |name: &str| fields.iter().find(|(n, _)| n == name).map(|(_, v)| v);
    let number = |name: &str| -> Result<Option<u32>> {
        get(name).map(|v| v.to::<u32>().ok_or_else(|| bad_choice(v, "a number"))).transpose()
    };
    let flag = |name: &str| matches!(get(name), Some(Value::Bool(true)));
    if kind == "range" {
        let bound = |n: Option<u32>, default: u16| n.map_or(default, |n| n.min(0xffff) as u16);
        return Ok(Filter::Range {
            min: bound(number("min_idx")?, 0),
            max: bound(number("max_idx")?, 0xffff),
        });
    }
    Ok(Filter::Counter {
        sparse: kind == "sparse_counter",
        count_data: flag("count_data"),
        count_control: flag("count_control"),
        init: number("init_counter")?.unwrap_or(0),
        limit1: number("limit1")?,
        limit2: number("limit2")?,
        max: number("max_counter")?.unwrap_or(0),
        filter_control: flag("filter_control"),
    })
}
