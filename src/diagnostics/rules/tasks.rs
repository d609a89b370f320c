//! Rules of the room `tasks`.

crate::rules! {}
