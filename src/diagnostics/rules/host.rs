//! Rules of the module `host`: what the host may ask of a program.

crate::rules! {
    /// A copy reaches beyond the end of a variable.
    /// A copy beyond the end of an array would reach other data.
    @Deny COPY_OUT_OF_BOUNDS = "copy-out-of-bounds": "`{name}` has {has} elements on {pe}, not {asked}"
        => "copy {has} elements, or make the array larger";
    /// A copy has too few or too many words.
    /// A copy gives every PE of its region the same number of elements.
    COPY_SIZE = "copy-size": "{given} words are given, but {needed} are needed"
        => "give {needed} words: one for each element on each PE";
    /// A PE does not export a name that the host uses.
    /// Every PE that a command reaches must export the name.
    EXPORT_ABSENT = "export-absent": "{pe} does not export `{name}`"
        => "write in a comptime block of that PE: `@export_symbol({name})`, or `@export_symbol(symbol, \"{name}\")`";
    /// The host copies a function, or launches a variable or a task.
    /// Variables are copied and functions are launched.
    EXPORT_MISUSED = "export-misused": "`{name}` is a {is}";
    /// The host writes a constant.
    /// The compiler uses the initial value of a constant, whatever the host writes.
    @Warning EXPORT_READ_ONLY = "export-read-only": "the host writes `{name}`, which is exported as a constant"
        => "declare it with `var`, and export it so: `@export_name(name, type, true)`";
    /// The program rectangle does not fit into the fabric.
    /// The memcpy library needs columns and rows around the program rectangle.
    FABRIC_TOO_SMALL = "fabric-too-small": "a rectangle of {width} x {height} PEs does not fit into the fabric at its position";
    /// A launch has too few or too many arguments.
    /// A launch gives every parameter of the function one argument.
    LAUNCH_ARGUMENTS = "launch-arguments": "`{name}` takes {takes}, not {given}"
        => "give each parameter one argument";
    /// A launched function never calls `unblock_cmd_stream`.
    /// Nothing but the end of the run follows the launch; any other command would wait forever.
    @Warning NEVER_UNBLOCKED = "never-unblocked": "the launch of `{name}` does not unblock the command stream"
        => "call `unblock_cmd_stream` on every PE when a launched function is done";
    /// The host reads a variable that is not made of numbers of one type.
    /// The host can read only variables that are made of numbers of one type.
    NO_ELEMENT_TYPE = "no-element-type": "`{name}` of type {ty} is not made of numbers of one type"
        => "export an array of numbers";
    /// The result depends on the order of events.
    /// The machine runs tasks that are ready at the same time in any order, and starts launches at slightly different
    /// times, so a program must give the same result for all orders.
    ORDER_DEPENDENT = "order-dependent": "the result depends on the order of events: {other} ends {what} than {first}";
    /// The host names PEs outside of the program rectangle.
    /// The host can reach only the PEs of the program rectangle.
    REGION_OUTSIDE = "region-outside": "{region} are not inside the rectangle of {rectangle} PEs"
        => "use PEs inside the rectangle; columns and rows are counted from 0";
    /// The program goes on when the host is done.
    /// What it would still compute and print is missing. Some programs are meant to go on: the vendor's `stop` ends them, too.
    @Warning STILL_RUNNING = "still-running": "the program still runs {cycles} after the last command of the host"
        => "if it is to end by itself, let its tasks end; if it only takes longer, raise the limit with --max-cycles";
    /// A streaming copy uses a color that is not a stream.
    /// A streaming copy uses a color that the layout has given to `<memcpy>`.
    STREAM_COLOR = "stream-color": "color {color} does not stream {way} the PEs"
        => "use a color that `<memcpy/get_params>` was given for this direction";
    /// A PE has no variable of a name.
    /// A variable is read from the memory of one PE, and each PE may run other code.
    SYMBOL_ABSENT = "symbol-absent": "{pe} has no variable `{name}`";
    /// The program exports no such name.
    /// The host refers to things by their exported names.
    UNKNOWN_EXPORT = "unknown-export": "the program has no `{name}`";
    /// The run may take more memory than is free.
    /// The operating system kills a run that needs more memory than there is, often long after it has begun.
    WAFER_TOO_LARGE = "wafer-too-large": "{width} x {height} PEs can need {needed} of memory, but only {memory} may be used";
}
