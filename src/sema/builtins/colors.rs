//! The configuration struct of a color (builtins section 4).

use super::arguments::chosen;
use super::choices::{bad_choice, unknown_setting, wrong_type};
use super::ids;
use super::properties::written_at;
use crate::arch::config::routes as word;
use crate::arch::{Arch, ArchName, Color, Direction};
use crate::diagnostics::rules::{comptime, layout as rules, tasks};
use crate::diagnostics::{At, Result};
use crate::image::ColorConfig;
use crate::image::routes::{Directions, Filter, Inject, PopMode, Position, Switches};
use crate::sema::eval::Eval;
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
                routes.extend(places(sema, id).fields(&name, v, ROUTES_EXAMPLE)?);
            }
            ("switches", v) => switches.extend(places(sema, id).fields(&name, v, SWITCHES_EXAMPLE)?),
            ("filter", v) => filter.extend(places(sema, id).fields(&name, v, FILTER_EXAMPLE)?),
            ("teardown", v) => config.teardown = places(sema, id).flag(&name, v)?,
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
    read_routes(&places(sema, id), routes, &mut config, &mut switches)?;
    check_receiving(sema.arch, config.rx).map_err(|c| c.at(at)).or_else(|c| sema.lint(c))?;
    if !switches.is_empty() {
        let inject = switches.iter().position(|(name, _)| name == "ce_inject");
        if let Some(at) = inject {
            config.inject = Some(read_inject(sema.arch, &switches.remove(at).1)?);
            check_injecting(&switches)?;
        }
        check_switch(sema.arch, color).map_err(|c| c.at(at)).or_else(|c| sema.lint(c))?;
        config.switches = Some(read_switches(&places(sema, id), switches)?);
    }
    if !filter.is_empty() {
        config.filter = Some(read_filter(&places(sema, id), filter)?);
    }
    Ok(config)
}

/// Reads settings of a configuration, and knows where each is written.
struct Places<'a> {
    arch: &'a Arch,
    eval: &'a Eval,
    configuration: ExprId,
}

fn places<'a>(sema: &'a Sema<'_>, configuration: ExprId) -> Places<'a> {
    Places { arch: sema.arch, eval: &sema.eval, configuration }
}

impl Places<'_> {
    /// Where a setting is written, or the whole configuration.
    fn of(&self, name: &str) -> Span {
        let whole = || self.eval.frame().unit.file.expr(self.configuration).span;
        written_at(self.eval, self.configuration, name).unwrap_or_else(whole)
    }

    /// A setting that is true or false.
    fn flag(&self, name: &str, v: &Value) -> Result<bool> {
        match v {
            Value::Bool(b) => Ok(*b),
            _ => Err(wrong_type(name, v, "a bool", &format!(".{name} = true")).at(self.of(name))),
        }
    }

    /// The settings in a struct.
    fn fields(&self, name: &str, v: &Value, example: &str) -> Result<ColorFields> {
        match v {
            // `{}` stands for nothing.
            Value::Void => Ok(ColorFields::new()),
            _ => v.fields().ok_or_else(|| wrong_type(name, v, "a struct", example).at(self.of(name))),
        }
    }
}

fn read_routes(
    places: &Places<'_>,
    fields: ColorFields,
    config: &mut ColorConfig,
    switches: &mut ColorFields,
) -> Result<()> {
    for (name, v) in fields {
        match (name.as_str(), &v) {
            ("rx", v) => config.rx = directions("rx", v)?,
            ("tx", v) => config.tx = directions("tx", v)?,
            ("color_swap_x", v) => config.swap_x = swap(places.arch, places.flag(&name, v)?)?,
            ("color_swap_y", v) => config.swap_y = swap(places.arch, places.flag(&name, v)?)?,
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

fn read_switches(places: &Places<'_>, fields: ColorFields) -> Result<Switches> {
    let mut s = Switches::NONE;
    for (name, v) in fields {
        match (name.as_str(), &v) {
            ("pos1", v) => s.positions[0] = position(places, &name, v)?,
            ("pos2", v) => s.positions[1] = position(places, &name, v)?,
            ("pos3", v) => s.positions[2] = position(places, &name, v)?,
            ("ring_mode", v) => s.ring = places.flag(&name, v)?,
            (INITIAL_POSITION, v) => {
                s.current = v.to::<u8>().filter(|n| *n <= 3).ok_or_else(|| {
                    let help = "`.current_switch_pos` is 0, or the number of a `.pos1`, `.pos2` or `.pos3`";
                    bad_choice(v, "0 to 3").at(places.of(INITIAL_POSITION)).help(help)
                })?;
            }
            ("pop_mode", v) => s.pop = pop_mode(v)?,
            _ => return Err(unknown_setting(&name, "`.switches`", SWITCHES)),
        }
    }
    Ok(s)
}

/// The position of this name.
fn position(places: &Places<'_>, of: &str, v: &Value) -> Result<Option<Position>> {
    let arch = places.arch;
    let (mut rx, mut tx, mut is_invalid) = (None, None, false);
    let fields = match v {
        Value::Int(..) => {
            let (from, to) = sides(v)?;
            if from.is_empty() && to.is_empty() {
                return Ok(None);
            }
            (rx, tx) = (Some(from).filter(|d| !d.is_empty()), Some(to).filter(|d| !d.is_empty()));
            ColorFields::new()
        }
        _ => places.fields(of, v, &format!(".{of} = .{{ .tx = EAST }}"))?,
    };
    for (name, v) in fields {
        match (name.as_str(), &v) {
            ("invalid", Value::Bool(set)) => is_invalid = *set,
            // Each position may have one, so its name alone does not say where it is written.
            ("invalid", v) => {
                return Err(wrong_type(&name, v, "a bool", ".invalid = true").at(places.of(of)));
            }
            ("rx", v) => rx = Some(directions("rx", v)?),
            ("tx", v) => tx = Some(directions("tx", v)?),
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
                side != "rx" || directions("rx", v).is_ok_and(|d| d == Directions::only(Direction::Ramp))
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

/// What a configuration that is complete may look like.
const ROUTES_EXAMPLE: &str = ".routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } }";
const SWITCHES_EXAMPLE: &str = ".switches = .{ .pos1 = .{ .tx = EAST } }";
const FILTER_EXAMPLE: &str = ".filter = .{ .kind = .{ .range = true }, .min_idx = 0, .max_idx = 1 }";

/// The directions that `.rx` or `.tx` lists.
fn directions(name: &str, v: &Value) -> Result<Directions> {
    let mut set = Directions::default();
    let wrong = |v: &Value, choices: &str| match v.as_str() {
        Some(text) if Direction::ALL.iter().any(|d| d.name() == text) => {
            bad_choice(v, choices).help(format!("write `.{name} = .{{ {text} }}`, without quotes"))
        }
        _ => bad_choice(v, choices),
    };
    let list = match v {
        Value::Id(IdKind::Direction, _) => vec![v.clone()],
        Value::Record(r) => r.fields.clone(),
        Value::Array(a) => (0..a.ty.len()).filter_map(|i| a.get(i).cloned()).collect(),
        _ => return Err(wrong(v, "the directions NORTH, SOUTH, EAST, WEST, RAMP")),
    };
    for d in &list {
        let Value::Id(IdKind::Direction, n) = d else {
            return Err(wrong(d, "the directions NORTH, SOUTH, EAST, WEST, RAMP"));
        };
        let d = Direction::from_number(*n as u8)
            .ok_or_else(|| bad_choice(d, "the directions NORTH, SOUTH, EAST, WEST, RAMP"))?;
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

/// The kind that `.kind` chooses.
fn filter_kind(places: &Places<'_>, fields: &ColorFields) -> Result<SmolStr> {
    let given = fields.iter().find(|(n, _)| n == "kind").map(|(_, v)| v);
    let given = given.ok_or_else(|| rules::FILTER_KIND.plain().help("write `.kind = .{ .range = true }`"))?;
    let example = |kind: &str| format!(".kind = .{{ .{kind} = true }}");
    match (chosen(given), given.fields().as_deref()) {
        (Some(kind), _) => Ok(kind),
        (None, Some([(kind, v)])) if !matches!(v, Value::Bool(_)) => {
            Err(wrong_type(kind, v, "a bool", &example(kind)).at(places.of("kind")))
        }
        (None, None) => Err(wrong_type("kind", given, "a struct", &example("range")).at(places.of("kind"))),
        (None, Some(_)) => Err(rules::FILTER_KIND.plain().help(format!("write `{}`", example("range")))),
    }
}

fn read_filter(places: &Places<'_>, fields: ColorFields) -> Result<Filter> {
    let kind = filter_kind(places, &fields)?;
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
        let wrong = |v| {
            let example = format!(".{name} = 0");
            wrong_type(name, v, "a whole number that is not negative", &example).at(places.of(name))
        };
        get(name).map(|v| v.to::<u32>().ok_or_else(|| wrong(v))).transpose()
    };
    let flag = |name: &str| get(name).map_or(Ok(false), |v| places.flag(name, v));
    if kind == "range" {
        let bound = |n: Option<u32>, default: u16| n.map_or(default, |n| n.min(0xffff) as u16);
        return Ok(Filter::Range {
            min: bound(number("min_idx")?, 0),
            max: bound(number("max_idx")?, 0xffff),
        });
    }
    Ok(Filter::Counter {
        sparse: kind == "sparse_counter",
        count_data: flag("count_data")?,
        count_control: flag("count_control")?,
        init: number("init_counter")?.unwrap_or(0),
        limit1: number("limit1")?,
        limit2: number("limit2")?,
        max: number("max_counter")?.unwrap_or(0),
        filter_control: flag("filter_control")?,
    })
}
