//! Rules of the layout: PEs, routes, exports.

crate::rules! {
    /// Coordinates are whole numbers that are not negative.
    BAD_COORDINATE = "bad-coordinate": "{value} is no coordinate";
    /// No wafer has that many PEs, or none at all.
    BAD_RECTANGLE = "bad-rectangle": "a rectangle of {width} by {height} PEs is impossible";
    /// A set of directions has each once.
    DIRECTION_TWICE = "direction-twice": "{direction} is listed twice";
    /// The host sees pointers to numbers, numbers, and functions.
    EXPORT_KIND = "export-kind": "{type} cannot be exported";
    /// A launch calls the function on all PEs.
    EXPORT_MISSING = "export-missing": "a tile does not export the function `{name}`";
    /// The third argument of `@export_name`.
    EXPORT_MUTABLE = "export-mutable": "say whether the host may write this symbol";
    /// The host finds them by name.
    EXPORT_NOT_GLOBAL = "export-not-global": "only globals and functions can be exported";
    /// A launch is one command.
    EXPORT_PARAMS = "export-params": "a function with {have} parameters cannot be launched, {limit} is the limit";
    /// The host knows each name once.
    EXPORT_TWICE = "export-twice": "`{name}` is exported twice";
    /// Layout and tile agree on types.
    EXPORT_TYPE = "export-type": "`{name}` is {have}, but {want} is advertised";
    /// Tiles offer what `@export_name` announced.
    EXPORT_UNKNOWN = "export-unknown": "the layout advertises no `{name}`";
    /// A filter is a range, a counter or a sparse counter.
    FILTER_KIND = "filter-kind": "this filter has no kind";
    /// An injecting color is wired to one output queue, and that queue to this color.
    INJECT_QUEUE = "inject-queue": "color {color} cannot leave through output queue {queue}";
    /// The buffers of an injecting color move its switch.
    INJECT_SWITCH = "inject-switch": "`{name}` cannot be set where `.ce_inject` is";
    /// An output queue serves four colors, and injects into one of them.
    INJECT_TWICE = "inject-twice": "colors {one} and {other} would both inject from output queue {queue}";
    /// A program has one connection to the host.
    MEMCPY_TWICE = "memcpy-twice": "`<memcpy/get_params>` is used with different colors";
    /// A filter has a number where it is configured.
    NO_FILTER = "no-filter": "color {color} has no filter on {pe}";
    /// `@set_rectangle` comes first.
    NO_RECTANGLE = "no-rectangle": "the layout sets no rectangle";
    /// Switches and filters change routes that exist.
    NO_ROUTES = "no-routes": "a color configuration needs `.routes`";
    /// On wse3 only some colors have one.
    NO_SWITCH = "no-switch": "color {color} has no switch on {arch}";
    /// This spelling is from SDK 0.6 and before.
    @Warning OLD_COLOR_CONFIG = "old-color-config": "directions and switch positions belong into `.routes` and `.switches`";
    /// Its route register names one side.
    ONE_RX = "one-rx": "a wse3 router receives a color from one direction, not from {directions}";
    /// The rectangle is what `@set_rectangle` says.
    OUTSIDE_RECTANGLE = "outside-rectangle": "the PE ({x},{y}) lies outside of the rectangle";
    /// A program has one.
    RECTANGLE_TWICE = "rectangle-twice": "the rectangle is set twice";
    /// Its routes would be ambiguous.
    ROUTE_TWICE = "route-twice": "color {color} is configured twice on one PE";
    /// A position changes one side of the route.
    SWITCH_POSITION = "switch-position": "this switch position is not possible";
    /// Every PE of the rectangle gets a program.
    TILE_MISSING = "tile-missing": "{pe} has no tile code";
    /// Every PE gets one program.
    TILE_TWICE = "tile-twice": "this PE has tile code already";
}
