//! Rules of the layout: PEs, routes, exports.

crate::rules! {
    /// Coordinates are whole numbers that are not negative.
    BAD_COORDINATE = "bad-coordinate": "{value} is no coordinate"
        => "columns and rows are counted from 0";
    /// No wafer has that many PEs, or none at all.
    BAD_RECTANGLE = "bad-rectangle": "a rectangle of {width} by {height} PEs is impossible"
        => "write the number of columns and of rows that the program needs";
    /// A set of directions has each once.
    DIRECTION_TWICE = "direction-twice": "{direction} is listed twice"
        => "name it once";
    /// The host sees pointers to numbers, numbers, and functions.
    EXPORT_KIND = "export-kind": "{type} cannot be exported";
    /// The third argument of `@export_name`.
    EXPORT_MUTABLE = "export-mutable": "say whether the host may write this symbol";
    /// The host finds them by name.
    EXPORT_NOT_GLOBAL = "export-not-global": "only globals and functions can be exported"
        => "declare a global for it, and export that";
    /// A launch is one command.
    EXPORT_PARAMS = "export-params": "a function with {have} parameters cannot be launched, {limit} is the limit"
        => "pass the rest in an exported array";
    /// The host knows each name once.
    EXPORT_TWICE = "export-twice": "`{name}` is exported twice"
        => "remove one of them, or give it another name";
    /// Layout and tile agree on types.
    EXPORT_TYPE = "export-type": "`{name}` is {have}, but {want} is advertised"
        => "advertise it as it is: `@export_name(\"{name}\", {have}, ..)`";
    /// Tiles offer what `@export_name` announced.
    EXPORT_UNKNOWN = "export-unknown": "the layout advertises no `{name}`";
    /// A filter is a range, a counter or a sparse counter.
    FILTER_KIND = "filter-kind": "this filter has no kind";
    /// An injecting color is wired to one output queue, and that queue to this color.
    INJECT_QUEUE = "inject-queue": "color {color} cannot leave through output queue {queue}";
    /// The buffers of an injecting color move its switch.
    INJECT_SWITCH = "inject-switch": "`{name}` cannot be set where `.ce_inject` is";
    /// An output queue serves four colors, and injects into one of them.
    INJECT_TWICE = "inject-twice": "colors {one} and {other} would both inject from output queue {queue}"
        => "take a color of another group of four: 0 to 3, 4 to 7, and so on";
    /// A program has one connection to the host.
    MEMCPY_TWICE = "memcpy-twice": "`<memcpy/get_params>` is used with different colors"
        => "import `<memcpy/get_params>` once, for all PEs";
    /// A filter has a number where it is configured.
    NO_FILTER = "no-filter": "color {color} has no filter on {pe}";
    /// `@set_rectangle` comes first.
    NO_RECTANGLE = "no-rectangle": "the layout sets no rectangle"
        => "call `@set_rectangle` first";
    /// Switches and filters change routes that exist.
    NO_ROUTES = "no-routes": "a color configuration needs `.routes`";
    /// On wse3 only some colors have one.
    @Deny(undefined) NO_SWITCH = "no-switch": "color {color} has no switch on {arch}";
    /// This spelling is from SDK 0.6 and before.
    @Warning(style) OLD_COLOR_CONFIG = "old-color-config": "directions and switch positions belong into `.routes` and `.switches`"
        => "write `.routes = .{ .rx = .., .tx = .. }` and `.switches = .{ .. }`";
    /// Its route register names one side.
    @Deny ONE_RX = "one-rx": "a wse3 router receives a color from one direction, not from {directions}"
        => "use a color for each direction";
    /// The rectangle is what `@set_rectangle` says.
    OUTSIDE_RECTANGLE = "outside-rectangle": "the PE ({x},{y}) lies outside of the rectangle";
    /// A program has one.
    RECTANGLE_TWICE = "rectangle-twice": "the rectangle is set twice"
        => "remove one of the two";
    /// Its routes would be ambiguous.
    ROUTE_TWICE = "route-twice": "color {color} is configured twice on one PE"
        => "put all of it into one configuration";
    /// A position changes one side of the route.
    SWITCH_POSITION = "switch-position": "a switch position {what}";
    /// Every PE of the rectangle gets a program.
    TILE_MISSING = "tile-missing": "{pe} has no tile code";
    /// Every PE gets one program.
    TILE_TWICE = "tile-twice": "this PE has tile code already"
        => "remove one of the two";
}
