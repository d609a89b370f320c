//! Rules of the room `host`.

crate::rules! {
    /// The memcpy library needs columns and rows around the program rectangle.
    FABRIC_TOO_SMALL = "fabric-too-small": "a rectangle of {width} x {height} PEs does not fit into the fabric at its place";
}
