//! Rules of the room `sema`: names, types, comptime.

crate::rules! {}
