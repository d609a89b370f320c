//! Rules of the room `syntax`.

crate::rules! {}
