//! Rules of the room `host`.

crate::rules! {}
