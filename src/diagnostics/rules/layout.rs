//! Rules of the room `layout`.

crate::rules! {}
