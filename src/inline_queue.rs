//! Short queues whose items are stored in place, so that a visit finds them next to everything else.

use std::collections::VecDeque;

/// A queue of which the first `N` items lie in place. Where more come, which is rare, they lie elsewhere.
#[derive(Clone, Debug)]
pub struct InlineQueue<T, const N: usize> {
    first: [T; N],
    rest: Option<Box<Rest<T>>>,
    head: u8,
    /// Items in place.
    near: u8,
}

/// Items behind those in place; empty unless these are `N`.
#[derive(Clone, Debug)]
struct Rest<T>(VecDeque<T>);

impl<T: Copy + Default, const N: usize> Default for InlineQueue<T, N> {
    fn default() -> InlineQueue<T, N> {
        InlineQueue { first: [T::default(); N], rest: None, head: 0, near: 0 }
    }
}

impl<T: Copy + Default, const N: usize> InlineQueue<T, N> {
    /// Number of items.
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.near) + self.behind().map_or(0, |rest| rest.0.len())
    }

    /// Whether it holds nothing.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.near == 0
    }

    /// The oldest item.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        (self.near > 0).then(|| &self.first[usize::from(self.head) % N])
    }

    /// The newest item, to change.
    pub fn back_mut(&mut self) -> Option<&mut T> {
        let last = self.near.checked_sub(1)?;
        let at = self.place(last);
        let rest = if self.is_near_full() { self.rest.as_mut() } else { None };
        Some(rest.and_then(|rest| rest.0.back_mut()).unwrap_or(&mut self.first[at]))
    }

    /// Adds an item.
    #[inline]
    pub fn push_back(&mut self, item: T) {
        if self.is_near_full() {
            return self.push_behind(item);
        }
        let at = self.place(self.near);
        self.first[at] = item;
        self.near += 1;
    }

    /// Takes the oldest item.
    #[inline]
    pub fn pop_front(&mut self) -> Option<T> {
        let item = *self.front()?;
        let may_follow = self.behind().is_some();
        self.head = self.place(1) as u8;
        self.near -= 1;
        if may_follow {
            self.move_up();
        }
        Some(item)
    }

    /// All items, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let near = usize::from(self.near);
        (0..self.len()).map(move |n| match &self.rest {
            Some(rest) if n >= near => &rest.0[n - near],
            Some(_) | None => &self.first[self.place(n as u8)],
        })
    }

    /// Bytes of what does not lie in place.
    #[cfg(test)]
    pub fn host_bytes(&self) -> usize {
        self.rest.as_ref().map_or(0, |rest| size_of::<Rest<T>>() + rest.0.capacity() * size_of::<T>())
    }

    /// Whether no item finds room in place.
    #[inline]
    fn is_near_full(&self) -> bool {
        usize::from(self.near) == N
    }

    /// What may hold items behind those in place. It lies elsewhere, so it is not looked at in vain.
    #[inline]
    fn behind(&self) -> Option<&Rest<T>> {
        self.rest.as_deref().filter(|_| self.is_near_full())
    }

    /// Where the item so many behind the oldest lies, or would.
    #[inline]
    fn place(&self, behind: u8) -> usize {
        (usize::from(self.head) + usize::from(behind)) % N
    }

    #[cold]
    fn push_behind(&mut self, item: T) {
        self.rest.get_or_insert_with(|| Box::new(Rest(VecDeque::new()))).0.push_back(item);
    }

    /// An item has left its place: the next one takes it.
    #[cold]
    fn move_up(&mut self) {
        if let Some(item) = self.rest.as_mut().and_then(|rest| rest.0.pop_front()) {
            let at = self.place(self.near);
            self.first[at] = item;
            self.near += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_a_queue_however_many_lie_in_place(steps in prop::collection::vec((0..4u8, any::<u16>()), 0..60)) {
            let (mut ring, mut queue) = (InlineQueue::<u16, 2>::default(), VecDeque::new());
            for (step, item) in steps {
                match step {
                    0 => prop_assert_eq!(ring.pop_front(), queue.pop_front()),
                    1 => {
                        prop_assert_eq!(ring.back_mut().copied(), queue.back().copied());
                        ring.back_mut().into_iter().chain(queue.back_mut()).for_each(|last| *last = item);
                    }
                    _ => {
                        ring.push_back(item);
                        queue.push_back(item);
                    }
                }
                prop_assert_eq!(ring.front(), queue.front());
                prop_assert_eq!((ring.len(), ring.is_empty()), (queue.len(), queue.is_empty()));
                prop_assert!(ring.iter().eq(&queue));
            }
        }
    }
}
