//! Rules of the room `run`.

crate::rules! {}
