//! Rules of the module `check`: what is wrong with a program before it runs.

crate::rules! {
    /// A PE does not export a name that the layout advertises.
    /// A launch runs on every PE, and a copy needs a PE that has the variable.
    @Warning EXPORT_MISSING = "export-missing": "{pe} does not export `{name}`"
        => "write in a comptime block of that PE: `@export_symbol({name})`, or `@export_symbol(symbol, \"{name}\")`";
    /// The program uses a color that belongs to `<memcpy>`.
    /// The library moves data and commands of the host on this color.
    @Deny MEMCPY_COLOR = "memcpy-color": "color {color} belongs to `<memcpy>`";
    /// A DSR that `<memcpy>` uses between tasks holds a DSD beyond the end of a task.
    /// The library may use this DSR to copy data between any two tasks.
    @Warning MEMCPY_DSR = "memcpy-dsr": "`<memcpy>` uses {dsr} between tasks";
    /// The program uses a queue that belongs to `<memcpy>`.
    /// The library receives its commands through this queue.
    @Deny MEMCPY_QUEUE = "memcpy-queue": "{queue} belongs to `<memcpy>`";
    /// The program reads input queue 0, from which `<memcpy>` takes its commands.
    /// An operation that reads it may receive a command instead of data, and the host then waits forever.
    @Warning MEMCPY_QUEUE_SHARED = "memcpy-queue-shared": "`<memcpy>` takes its commands from input queue 0";
    /// A task is bound to an id that belongs to `<memcpy>`.
    /// The library binds this id to its own task.
    @Deny MEMCPY_TASK_ID = "memcpy-task-id": "the id {id} of `{name}` belongs to `<memcpy>`";
    /// A local task has the number of a color of `<memcpy>`.
    /// On WSE-2 a color and the data task of its wavelets share one number, and the library uses this color.
    @Warning MEMCPY_TASK_SHARED = "memcpy-task-shared": "the local task `{name}` has the id {id} of a color of `<memcpy>`";
    /// The program routes a color that belongs to `<message_passing>`.
    /// The library may route its messages on this color.
    @Warning MESSAGE_COLOR = "message-color": "color {color} belongs to `<message_passing>`";
    /// Nothing on a PE receives the wavelets that are routed to it.
    /// Wavelets that nothing receives fill the queues until the sender stalls.
    @Warning NOBODY_TAKES = "nobody-takes": "nothing on {pe} receives color {color}";
    /// A fabric DSD names one color and its queue has another.
    /// On WSE-3 the color of a queue is the color of its wavelets.
    QUEUE_COLOR_DIFFERS = "queue-color-differs": "a DSD of color {color} uses {queue}, which has color {bound}";
    /// A queue is used without a color.
    /// On WSE-3 wavelets reach a queue only if it is bound to their color.
    @Warning QUEUE_NOT_INITIALIZED = "queue-not-initialized": "{queue} has no color";
    /// A router sends a color to a neighbour that does not accept it.
    /// A wavelet that a router does not accept waits on the link forever.
    @Warning ROUTE_BROKEN = "route-broken": "{pe} does not accept color {color} from {side}";
    /// The routes of a color form a loop.
    /// Nothing ever removes a wavelet from such a loop.
    @Warning ROUTE_LOOP = "route-loop": "wavelets of color {color} go around a loop forever";
    /// The route of a color leads nowhere.
    /// A router drops wavelets whose route has no output.
    @Warning ROUTE_NOWHERE = "route-nowhere": "the route of color {color} on {pe} leads nowhere";
    /// The route of a color leaves the rectangle.
    /// The PEs around the rectangle accept these wavelets and drop them.
    @Warning ROUTE_OFF_EDGE = "route-off-edge": "color {color} leaves the rectangle {side} of {pe}"
        => "end the route at the edge: give the last PE its own configuration";
    /// A color passes a PE where a task or an operation waits for it.
    /// Wavelets that pass a PE start no task on it, and no operation receives them.
    @Warning ROUTE_WITHOUT_RAMP = "route-without-ramp": "color {color} bypasses {pe}, where {what} waits for it"
        => "add RAMP to `.tx` of this route, or receive the color on other PEs only";
    /// A router does not accept a color from its own PE.
    /// A PE sends through its own router, which accepts a color only from the sides that its route lists.
    @Warning SEND_REFUSED = "send-refused": "the router of {pe} does not accept color {color} from its PE";
    /// A color can reach a router from several sides at once.
    /// The order of wavelets that come from two sides at once is undefined.
    @Warning(undefined) SEVERAL_INPUTS = "several-inputs": "color {color} can reach {pe} from {sides} at once";
    /// A local task has the number of a color that comes to its PE.
    /// On WSE-2 tasks of wavelets and local tasks share one table: a wavelet activates the task that has the number of its
    /// color, unless an operation takes the wavelet.
    @Warning TASK_ID_OF_COLOR = "task-id-of-color": "the local task `{task}` has the id {id}, and wavelets of color {id} come to {pe}"
        => "use an id that is the number of no color of this PE";
    /// A PE has more filters than the hardware provides.
    /// The hardware has a fixed number.
    @Deny TOO_MANY_FILTERS = "too-many-filters": "{pe} has {count} filters; the limit is {limit}";
    /// Wavelets carry elements of another type than what receives them takes.
    /// A wavelet carries bits: half of an f32 is no number, and 16 bits are no f32.
    @Warning WAVELET_TYPE = "wavelet-type": "color {color} carries elements of {sent}, but {what} takes {taken}"
        => "send and receive elements of one type";
}
