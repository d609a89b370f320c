//! The text listing of a program: tiles, memory map, registers, routes.
