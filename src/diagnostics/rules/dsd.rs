//! Rules of the room `dsd`.

crate::rules! {}
