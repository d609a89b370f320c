//! The acts of a script, made ready to be done again on the memories of many PEs.
//!
//! Of every PE only those words are kept that may differ from PE to PE. What an act reads besides is
//! known, and becomes a part of it: nothing is looked up any more, and no address is computed twice.

use super::kept::Kept;
use super::operation::{From, Operation, Outlet, To};
use super::script::{Act, Deed};
use crate::dsd::access::{Row, Walk};
use crate::dsd::kernels::Kernel;
use crate::dsd::local::{self, Dest, Source};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use zerocopy::{FromBytes, IntoBytes};

/// Elements that are done in one piece.
const PIECE: usize = 64;

/// An act that is ready to be done on the kept words of a PE.
pub struct Ready {
    /// When it was done.
    pub cycle: u64,
    /// The operation, unless words are written.
    pub serial: Option<u32>,
    /// Wavelets that it takes.
    pub taken: u32,
    /// Wavelets that it sends.
    pub sent: u32,
    work: Work,
}

enum Work {
    /// Words that are the same on every PE.
    Write(Vec<(usize, Box<[u16]>)>),
    /// An operation, many elements at a time.
    Pieces(&'static Kernel, Vec<Piece>),
    /// One element after the other.
    Chain(&'static Kernel, Box<Chain>),
}

/// Up to [`PIECE`] elements.
#[derive(Debug)]
struct Piece {
    count: usize,
    sources: [Feed; 2],
    third: u32,
    to: Drain,
}

/// Elements in memory, at equal distances each, and the words of each.
type Rows = (Box<[Row]>, u16);

/// Where a source of a piece comes from.
#[derive(Debug)]
enum Feed {
    /// The same on every PE.
    Known(Arc<[u32]>),
    Kept(Rows),
    /// The flag: 16 bits of each.
    Wavelets(bool),
}

/// Where results of a piece go.
#[derive(Debug)]
enum Drain {
    Kept(Rows),
    Fabric(Outlet),
}

/// Elements one after the other: each may depend on the one before.
#[derive(Debug)]
struct Chain {
    count: usize,
    sources: [Link; 3],
    to: End,
    /// The result before the first.
    kept: u32,
    /// Each result is the first source of the next element.
    accumulates: bool,
}

/// Where a source of a chain comes from.
#[derive(Debug)]
enum Link {
    Known(Arc<[u32]>),
    /// Addresses of all elements, and the words of each.
    Kept(Box<[u32]>, u16),
    Wavelets(bool),
}

/// Where results of a chain go.
#[derive(Debug)]
enum End {
    Kept(Box<[u32]>, u16),
    Fabric(Outlet),
    /// The last one.
    Scalar(usize, u16),
}

/// What has been sent to a PE, in the order in which an operation takes it.
pub trait Inbox<'i> {
    /// As many wavelets as there are lanes: in these, or where they lie.
    fn take<'l>(&mut self, lanes: &'l mut [u32]) -> &'l [u32]
    where
        'i: 'l;
}

/// Room for the elements of a piece.
#[derive(Debug)]
pub struct Scratch([[u32; PIECE]; 3]);

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch([[0; PIECE]; 3])
    }
}

/// Values that are known, each kept once.
pub type Values = FxHashSet<Arc<[u32]>>;

/// Makes acts ready, in their order.
pub(super) struct Preparer<'a> {
    kept: &'a Kept,
    /// The memory as the acts so far leave it, besides what is kept.
    known: Vec<u16>,
    values: &'a mut Values,
}

/// The words have been touched before, by the PE that has written the script.
const FITS: &str = "the operation has been done before, at the same addresses";

impl<'a> Preparer<'a> {
    /// Of a PE with so many words; the first of them when it begins are given.
    pub fn new(kept: &'a Kept, (start, words): (&[u16], usize), values: &'a mut Values) -> Preparer<'a> {
        let mut known = start.to_vec();
        known.resize(words.max(start.len()), 0);
        Preparer { kept, known, values }
    }

    /// An act; `None` if it changes nothing that is kept, and sends nothing.
    pub fn prepare(&mut self, act: &Act) -> Option<Ready> {
        let work = match &act.deed {
            Deed::Write(at, words) => {
                self.known[*at..*at + words.len()].copy_from_slice(words);
                let writes = self.writes(*at, words);
                if writes.is_empty() {
                    return None;
                }
                Work::Write(writes)
            }
            Deed::Operate(operation) if goes_in_pieces(operation) => {
                Work::Pieces(&operation.op.kernel, self.pieces(operation))
            }
            Deed::Operate(operation) => Work::Chain(&operation.op.kernel, Box::new(self.chain(operation))),
        };
        Some(Ready { cycle: act.cycle, serial: act.serial, taken: act.taken(), sent: act.sent(), work })
    }

    fn writes(&self, at: usize, words: &[u16]) -> Vec<(usize, Box<[u16]>)> {
        let within = self.kept.ranges().filter_map(|(range, place)| {
            let (from, to) = (range.start.max(at), range.end.min(at + words.len()));
            (from < to).then(|| (place.start + from - range.start, words[from - at..to - at].into()))
        });
        within.collect()
    }

    fn pieces(&mut self, operation: &Operation) -> Vec<Piece> {
        let (mut from, mut to) = (operation.from.clone(), operation.to.clone());
        let third = if let From::Local(Source::Scalar(bits)) = from[2] { bits } else { 0 };
        let (total, mut done) = (operation.total.unwrap_or(0) as usize, 0);
        let mut pieces = Vec::new();
        while done < total {
            let count = (total - done).min(PIECE);
            let [a, b, _] = &mut from;
            let sources = [self.feed(a, count), self.feed(b, count)];
            let to = match &mut to {
                To::Local(Dest::Walk(walk)) => Drain::Kept(self.rows(walk, count).expect(KEPT)),
                To::Fabric(outlet) => Drain::Fabric(outlet.clone()),
                To::Local(Dest::Scalar { .. }) | To::Fifo(_) | To::Nowhere => unreachable!("not in pieces"),
            };
            pieces.push(Piece { count, sources, third, to });
            done += count;
        }
        pieces
    }

    fn feed(&mut self, from: &mut From, count: usize) -> Feed {
        match from {
            From::Local(Source::Scalar(bits)) => Feed::Known(self.value(vec![*bits; count])),
            From::Local(Source::Walk(walk)) => {
                let before = *walk;
                match self.rows(walk, count) {
                    Some(rows) => Feed::Kept(rows),
                    None => Feed::Known(self.known_elements(before, count)),
                }
            }
            From::Fabric(intake) => Feed::Wavelets(intake.narrow),
            From::Fifo(_) => unreachable!("no script has FIFOs"),
        }
    }

    fn chain(&mut self, operation: &Operation) -> Chain {
        let count = operation.total.unwrap_or(0) as usize;
        let sources = operation.from.each_ref().map(|from| self.link(from, count));
        let to = match &operation.to {
            To::Local(Dest::Walk(walk)) => End::Kept(self.addresses(*walk, count).expect(KEPT), walk.words()),
            To::Local(Dest::Scalar { at, words, .. }) => {
                End::Scalar(self.kept.place(*at).expect(KEPT), *words)
            }
            To::Fabric(outlet) => End::Fabric(outlet.clone()),
            To::Fifo(_) | To::Nowhere => unreachable!("scripts have no such operation"),
        };
        let accumulates = matches!(operation.to, To::Local(Dest::Scalar { accumulates: true, .. }));
        Chain { count, sources, to, kept: operation.kept, accumulates }
    }

    fn link(&mut self, from: &From, count: usize) -> Link {
        match from {
            From::Local(Source::Scalar(bits)) => Link::Known(self.value(vec![*bits; count])),
            From::Local(Source::Walk(walk)) => match self.addresses(*walk, count) {
                Some(addresses) => Link::Kept(addresses, walk.words()),
                None => Link::Known(self.known_elements(*walk, count)),
            },
            From::Fabric(intake) => Link::Wavelets(intake.narrow),
            From::Fifo(_) => unreachable!("no script has FIFOs"),
        }
    }

    /// The next elements of a vector among what is kept; `None` if they are not.
    fn rows(&self, walk: &mut Walk, count: usize) -> Option<Rows> {
        let words = walk.words();
        // All of them are behind, kept or not.
        let rows: Vec<Row> = walk.rows(count).map(|row| row.expect(FITS)).collect();
        let place = |row: &Row| Some(Row { at: self.kept.place(row.at)?, ..*row });
        let rows: Option<Box<[Row]>> = rows.iter().map(place).collect();
        Some((rows?, words))
    }

    fn addresses(&self, mut walk: Walk, count: usize) -> Option<Box<[u32]>> {
        let mut element = || Some(self.kept.place(walk.next_element().expect(FITS))? as u32);
        (0..count).map(|_| element()).collect()
    }

    fn known_elements(&mut self, mut walk: Walk, count: usize) -> Arc<[u32]> {
        let mut lanes = vec![0; count];
        local::gather(&self.known, &mut walk, &mut lanes).expect(FITS);
        self.value(lanes)
    }

    fn value(&mut self, lanes: Vec<u32>) -> Arc<[u32]> {
        if let Some(known) = self.values.get(lanes.as_slice()) {
            return known.clone();
        }
        let value: Arc<[u32]> = lanes.into();
        self.values.insert(value.clone());
        value
    }
}

/// What an operation of a script writes is foreign.
const KEPT: &str = "what operations write is kept";

impl Ready {
    /// Whether it reads or writes kept words.
    pub fn uses_kept(&self) -> bool {
        match &self.work {
            Work::Write(_) => true,
            Work::Pieces(_, pieces) => pieces.iter().any(|piece| {
                let reads = piece.sources.iter().any(|feed| matches!(feed, Feed::Kept(_)));
                reads || matches!(piece.to, Drain::Kept(_))
            }),
            Work::Chain(_, chain) => {
                let reads = chain.sources.iter().any(|link| matches!(link, Link::Kept(..)));
                reads || !matches!(chain.to, End::Fabric(_))
            }
        }
    }

    /// Does it with the kept words of a PE. `outbox` has room for the wavelets that go out.
    pub fn run<'i>(
        &self,
        kept: &mut [u16],
        inbox: &mut impl Inbox<'i>,
        outbox: &mut [u32],
        lanes: &mut Scratch,
    ) {
        match &self.work {
            Work::Write(writes) => {
                writes.iter().for_each(|(at, words)| kept[*at..*at + words.len()].copy_from_slice(words));
            }
            Work::Pieces(kernel, pieces) => {
                let mut rest = outbox;
                for piece in pieces {
                    let (now, later) = rest.split_at_mut(piece.count.min(rest.len()));
                    rest = later;
                    piece.run(kernel, kept, inbox, now, lanes);
                }
            }
            Work::Chain(kernel, chain) => chain.run(kernel, kept, inbox, outbox),
        }
    }
}

impl Piece {
    fn run<'i>(
        &self,
        kernel: &Kernel,
        kept: &mut [u16],
        inbox: &mut impl Inbox<'i>,
        outbox: &mut [u32],
        Scratch([out, a, b]): &mut Scratch,
    ) {
        let out = &mut out[..self.count];
        if self.run_onto(kernel, kept, inbox, &mut b[..self.count]).is_some() {
            return;
        }
        let [first, second] = &self.sources;
        let a = first.lanes(kept, inbox, &mut a[..self.count]);
        let b = second.lanes(kept, inbox, &mut b[..self.count]);
        match &self.to {
            Drain::Kept((rows, words)) => {
                (kernel.many)(out, a, b, self.third);
                local::store_rows(kept, rows, *words, out);
            }
            Drain::Fabric(outlet) if !outlet.narrow => (kernel.many)(outbox, a, b, self.third),
            Drain::Fabric(outlet) => {
                (kernel.many)(out, a, b, self.third);
                outbox.iter_mut().zip(out).for_each(|(word, value)| *word = outlet.word(*value));
            }
        }
    }

    /// If the destination is the first source, too, and elements have 32 bits one behind the other,
    /// they are worked on where they are.
    fn run_onto<'i>(
        &self,
        kernel: &Kernel,
        kept: &mut [u16],
        inbox: &mut impl Inbox<'i>,
        lanes: &mut [u32],
    ) -> Option<()> {
        let (Drain::Kept((to, 2)), [Feed::Kept((from, 2)), second]) = (&self.to, &self.sources) else {
            return None;
        };
        let ([to], [from]) = (&**to, &**from) else { return None };
        if to != from || to.step != 2 {
            return None;
        }
        let onto = kernel.direct.as_ref()?.long.onto;
        let words = kept[to.at..to.at + 2 * to.count].as_mut_bytes();
        let elements = <[u32]>::mut_from_bytes(words).ok()?;
        let second = match second {
            Feed::Known(_) | Feed::Wavelets(_) => second.lanes(&[], inbox, lanes),
            Feed::Kept(_) => return None,
        };
        onto(elements, second, self.third);
        Some(())
    }
}

impl Feed {
    fn lanes<'l, 'i: 'l>(
        &'l self,
        kept: &[u16],
        inbox: &mut impl Inbox<'i>,
        lanes: &'l mut [u32],
    ) -> &'l [u32] {
        match self {
            Feed::Known(values) => values,
            Feed::Kept((rows, words)) => {
                local::load_rows(kept, rows, *words, lanes);
                lanes
            }
            Feed::Wavelets(true) => narrow(inbox, lanes),
            Feed::Wavelets(false) => inbox.take(lanes),
        }
    }
}

/// The lower 16 bits of each wavelet.
fn narrow<'i, 'l>(inbox: &mut impl Inbox<'i>, lanes: &'l mut [u32]) -> &'l [u32] {
    let mut room = [0; PIECE];
    let words = inbox.take(&mut room[..lanes.len()]);
    lanes.iter_mut().zip(words).for_each(|(lane, word)| *lane = word & 0xffff);
    lanes
}

impl Chain {
    fn run<'i>(&self, kernel: &Kernel, memory: &mut [u16], inbox: &mut impl Inbox<'i>, outbox: &mut [u32]) {
        let mut kept = self.kept;
        for k in 0..self.count {
            let mut values = self.sources.each_ref().map(|source| source.value(k, memory, inbox));
            if self.accumulates {
                values[0] = kept;
            }
            if kernel.carries {
                values[2] = kept >> 16;
            }
            kept = (kernel.each)(values[0], values[1], values[2]);
            match &self.to {
                End::Kept(addresses, words) => local::write(memory, addresses[k] as usize, *words, kept),
                End::Fabric(outlet) => outbox[k] = outlet.word(kept),
                End::Scalar(..) => {}
            }
        }
        if let End::Scalar(at, words) = self.to
            && (self.count > 0 || self.accumulates)
        {
            local::write(memory, at, words, kept);
        }
    }
}

impl Link {
    fn value<'i>(&self, k: usize, memory: &[u16], inbox: &mut impl Inbox<'i>) -> u32 {
        match self {
            Link::Known(values) => values[k],
            Link::Kept(addresses, words) => local::read(memory, addresses[k] as usize, *words),
            Link::Wavelets(narrow) => {
                let word = inbox.take(&mut [0])[0];
                if *narrow { word & 0xffff } else { word }
            }
        }
    }
}

/// Whether elements may be done many at a time.
fn goes_in_pieces(operation: &Operation) -> bool {
    let total = operation.total.unwrap_or(0);
    let disturbs = |dest: &Walk, from: &From| matches!(from, From::Local(Source::Walk(source)) if dest.disturbs(source, total));
    let is_apart = match &operation.to {
        To::Local(Dest::Walk(walk)) => !operation.from.iter().any(|from| disturbs(walk, from)),
        To::Fabric(_) => true,
        To::Local(Dest::Scalar { .. }) | To::Fifo(_) | To::Nowhere => false,
    };
    let third_is_scalar = matches!(operation.from[2], From::Local(Source::Scalar(_)));
    is_apart && third_is_scalar && !operation.op.kernel.carries
}
