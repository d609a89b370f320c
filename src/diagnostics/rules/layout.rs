//! Rules of the layout: PEs, routes, exports.

crate::rules! {
    /// A coordinate is negative or not an integer.
    /// Coordinates are whole numbers that are not negative.
    BAD_COORDINATE = "bad-coordinate": "{value} is not a valid coordinate"
        => "columns and rows are counted from 0";
    /// A rectangle is empty or too large.
    /// A rectangle has at least one PE and at most as many as a wafer.
    BAD_RECTANGLE = "bad-rectangle": "a rectangle of {width} by {height} PEs is impossible"
        => "write the number of columns and of rows that the program needs";
    /// A direction is listed twice.
    /// A set of directions contains each direction at most once.
    DIRECTION_TWICE = "direction-twice": "{direction} is listed twice"
        => "list it once";
    /// A type cannot be exported.
    /// The host can use numbers, pointers to numbers, and functions.
    EXPORT_KIND = "export-kind": "{type} cannot be exported";
    /// `@export_name` says something else than the declaration about who may change a variable.
    /// The third argument of `@export_name` is `true` for a `var` and `false` for a `const`; what a pointer points to does
    /// not matter. The vendor's compiler refuses anything else.
    @Warning EXPORT_MUTABILITY = "export-mutability": "`{name}` is a `{is}`, but is advertised as a `{want}`";
    /// `@export_name` lacks its third argument.
    /// The third argument of `@export_name` says whether the host may write the symbol.
    EXPORT_MUTABLE = "export-mutable": "say whether the host may write this symbol";
    /// A local is exported.
    /// The host finds globals and functions by name; a local exists only during a call.
    EXPORT_NOT_GLOBAL = "export-not-global": "only globals and functions can be exported"
        => "declare a global for it, and export that";
    /// An exported function has too many parameters.
    /// A launch is one command of limited size.
    EXPORT_PARAMS = "export-params": "a function with {have} parameters cannot be launched; the limit is {limit}"
        => "pass the rest in an exported array";
    /// A name is exported twice.
    /// The host needs each name to be unique.
    EXPORT_TWICE = "export-twice": "`{name}` is exported twice"
        => "remove one of them, or give it another name";
    /// An exported symbol has another type than advertised.
    /// Layout and tile must agree on types.
    EXPORT_TYPE = "export-type": "`{name}` is {have}, but {want} is advertised"
        => "advertise its actual type: `@export_name(\"{name}\", {have}, ..)`";
    /// A tile exports a name that the layout does not advertise.
    /// A tile may export only what `@export_name` advertises in the layout.
    EXPORT_UNKNOWN = "export-unknown": "the layout does not advertise `{name}`";
    /// A filter has no kind.
    /// A filter is a range, a counter or a sparse counter.
    FILTER_KIND = "filter-kind": "this filter has no kind";
    /// An injecting color is sent from the wrong output queue.
    /// The hardware ties an injecting color to one output queue, and that queue to this color.
    INJECT_QUEUE = "inject-queue": "color {color} cannot leave through output queue {queue}";
    /// A switch setting is combined with `.ce_inject`.
    /// The buffers of an injecting color move its switch.
    INJECT_SWITCH = "inject-switch": "`{name}` cannot be set where `.ce_inject` is";
    /// Two colors inject from one output queue.
    /// An output queue serves four colors, and injects into one of them.
    INJECT_TWICE = "inject-twice": "colors {one} and {other} would both inject from output queue {queue}"
        => "use a color from a different group of four: 0 to 3, 4 to 7, and so on";
    /// `<memcpy/get_params>` is used with different colors.
    /// A program has one connection to the host.
    MEMCPY_TWICE = "memcpy-twice": "`<memcpy/get_params>` is used with different colors"
        => "import `<memcpy/get_params>` once, for all PEs";
    /// `<memcpy/get_params>` is given another size than the rectangle has.
    /// The library sets up its connection for this rectangle.
    @Warning MEMCPY_SIZE = "memcpy-size": "`<memcpy/get_params>` is given {have} PEs, but the rectangle has {want}";
    /// The color of a stream has a route of the program.
    /// The library routes the color of a stream itself.
    @Deny STREAM_COLOR_ROUTE = "stream-color-route": "color {color} is that of the stream `.{stream}`, and has a route"
        => "give the stream or the route another color";
    /// Two streams have the same color.
    /// The host and the PEs name a stream by its color.
    @Warning STREAM_COLOR_TWICE = "stream-color-twice": "the streams `.{one}` and `.{other}` have the same color {color}"
        => "give each stream a color of its own";
    /// A color has no filter on this PE.
    /// A filter has a number only on the PEs where it is configured.
    NO_FILTER = "no-filter": "color {color} has no filter on {pe}";
    /// The layout does not call `@set_rectangle`.
    /// `@set_rectangle` comes first.
    NO_RECTANGLE = "no-rectangle": "the layout sets no rectangle"
        => "call `@set_rectangle` first";
    /// A color configuration lacks `.routes`.
    /// Switches and filters change routes that exist.
    NO_ROUTES = "no-routes": "a color configuration needs `.routes`";
    /// A color has no switch on this machine.
    /// On wse3 only some colors have one.
    @Warning(undefined) NO_SWITCH = "no-switch": "color {color} has no switch on {arch}";
    /// A color configuration uses the syntax of SDK 0.6.
    /// This spelling is from SDK 0.6 and before.
    @Warning(style) OLD_COLOR_CONFIG = "old-color-config": "directions and switch positions belong in `.routes` and `.switches`"
        => "write `.routes = .{ .rx = .., .tx = .. }` and `.switches = .{ .. }`";
    /// A WSE-3 router receives one color from several directions.
    /// The route register of a WSE-3 router holds one input direction.
    @Deny ONE_RX = "one-rx": "a wse3 router receives a color from one direction, not from {directions}"
        => "use a color for each direction";
    /// A PE is outside of the rectangle.
    /// `@set_rectangle` sets the size of the rectangle.
    OUTSIDE_RECTANGLE = "outside-rectangle": "PE({x},{y}) is outside of the rectangle";
    /// `@set_rectangle` is called twice.
    /// A program has one rectangle.
    RECTANGLE_TWICE = "rectangle-twice": "the rectangle is set twice"
        => "remove one of the two";
    /// A color is configured twice on one PE.
    /// Its routes would be ambiguous.
    ROUTE_TWICE = "route-twice": "color {color} is configured twice on {pe}"
        => "put all of it into one configuration";
    /// A switch position is not valid.
    /// A switch position changes either the input or the outputs of the route.
    SWITCH_POSITION = "switch-position": "a switch position {what}";
    /// A PE has no tile code.
    /// Every PE of the rectangle needs a program.
    TILE_MISSING = "tile-missing": "{pe} has no tile code";
    /// A PE is given tile code twice.
    /// Every PE has exactly one program.
    TILE_TWICE = "tile-twice": "{pe} already has tile code"
        => "remove one of the two";
}
