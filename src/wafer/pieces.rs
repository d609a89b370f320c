//! Pieces of a cycle: PEs with neighbouring numbers, and lists of numbers that are taken apart by them.

/// The fewest consecutive PEs in a piece, which is delivered to, then run, and then has its routers decide. A piece
/// is longer where few of them have anything to do, because each of the three steps loads its own code into the
/// cache.
pub(super) const NEIGHBOURS: usize = 128;

/// The numbers of an ascending list that are not in another.
pub(super) fn without<'l>(list: &'l [u32], other: &'l [u32]) -> impl Iterator<Item = u32> + 'l {
    let mut rest = other;
    list.iter().copied().filter(move |number| {
        split_before(&mut rest, *number);
        rest.first() != Some(number)
    })
}

/// The lowest number of some ascending lists.
pub(super) fn first_of(lists: &[&[u32]]) -> Option<u32> {
    lists.iter().filter_map(|list| list.first().copied()).min()
}

/// Where a piece ends that begins with a number: no list has more than [`NEIGHBOURS`] numbers in it, unless it is the
/// smallest.
pub(super) fn piece_behind(first: u32, lists: &[&[u32]]) -> u32 {
    let end = lists.iter().filter_map(|list| list.get(NEIGHBOURS).copied()).min().unwrap_or(u32::MAX);
    end.max(first + NEIGHBOURS as u32)
}

/// Takes the numbers before a bound off the front of a list.
pub(super) fn split_before<'l>(list: &mut &'l [u32], end: u32) -> &'l [u32] {
    let count = list.iter().take_while(|number| **number < end).count();
    let (front, rest) = list.split_at(count);
    *list = rest;
    front
}
