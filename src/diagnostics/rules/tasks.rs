//! Rules about tasks, ids and queues, and about the wafer as a whole.

crate::rules! {
    /// A setting has a value that it does not take.
    /// The setting accepts only certain values.
    BAD_CHOICE = "bad-choice": "{value} is not one of {choices}"
        => "write one of them";
    /// A comptime block sets a configuration word of the router, or reads one without a value.
    /// A comptime block sets registers of the PE; its router is set with the routes.
    CONFIG_AT_COMPTIME = "config-at-comptime": "configuration word {address} {fault} in a comptime block";
    /// A configuration access is outside of its declared ranges.
    /// The address of an access must be in the ranges that it declares.
    @Deny(undefined) CONFIG_OUTSIDE = "config-outside": "configuration word {address} is outside of the ranges of this access"
        => "give ranges that contain it, or give none";
    /// A range of configuration addresses is malformed.
    /// Ranges of configuration addresses are pairs of numbers.
    CONFIG_RANGES = "config-ranges": "this is not a range of configuration addresses";
    /// The control task table is set twice.
    /// A program has one control task table.
    CONTROL_TABLE_TWICE = "control-table-twice": "the control task table is set twice"
        => "put all settings into one call";
    /// A control task is unblocked.
    /// Only channels and local tasks have a state that can be blocked.
    CONTROL_TASK_UNBLOCK = "control-task-unblock": "`{name}` is a control task, which cannot be unblocked";
    /// A queue is flushed and has no handler.
    /// `@queue_flush` runs the function that is set with `@set_empty_queue_handler`.
    @Warning FLUSH_UNHANDLED = "flush-unhandled": "nothing runs when {queue} is empty";
    /// A handler has parameters or returns a value.
    /// The teardown task calls handlers, which take no arguments and return nothing.
    HANDLER_SHAPE = "handler-shape": "{name} cannot be a handler";
    /// Two handlers are set for one cause.
    /// The teardown task calls one function for each of its causes.
    HANDLER_TWICE = "handler-twice": "{what} already has a handler"
        => "remove one, and make the other do the work of both";
    /// An id is out of range.
    /// Ids are numbers of hardware resources.
    @Deny(style) ID_OUT_OF_RANGE = "id-out-of-range": "{kind} {value} is outside of {low} to {high}";
    /// A data or control task is activated.
    /// Data and control tasks run for wavelets, not for activations.
    NOT_ACTIVATABLE = "not-activatable": "a {kind} cannot be activated";
    /// A local task is expected.
    /// Only local tasks can be activated.
    NOT_A_LOCAL_TASK = "not-a-local-task": "`{name}` is not a local task";
    /// A function is bound as a task.
    /// Only tasks can be bound to an id.
    NOT_A_TASK = "not-a-task": "`{name}` is a function, not a task";
    /// The null task id 31 is used as an id.
    /// A control wavelet that starts no task carries this number.
    NULL_TASK_ID = "null-task-id": "31 is the null task id, not a {kind}";
    /// A feature of WSE-2 is used on WSE-3.
    /// The machines differ.
    ONLY_ON_WSE2 = "only-on-wse2": "{what} exists only on wse2"
        => "remove it, or compile with `--arch wse2`";
    /// A feature of WSE-3 is used on WSE-2.
    /// The machines differ.
    ONLY_ON_WSE3 = "only-on-wse3": "{what} exists only on wse3"
        => "remove it, or compile with `--arch wse3`";
    /// A color is used as a task id, as before release 1.1.
    /// Before release 1.1 a color was also the number of a task.
    @Warning(style) OLD_TASK_ID = "old-task-id": "{form} is syntax of SDK releases before 1.1";
    /// An id is used to which no task is bound.
    /// An id only starts, or holds back, the task that is bound to it.
    @Warning ID_WITHOUT_TASK = "id-without-task": "id {id} is {what}, but no task is bound to it"
        => "write in a comptime block: `@bind_local_task(task, @get_local_task_id({id}))`, or use the id of the task";
    /// Nothing activates a task.
    /// A local task runs when something activates its id: code, the end of an operation, or the layout of the
    /// program at its start.
    @Warning NEVER_ACTIVATED = "never-activated": "nothing activates `{task}` (id {id})"
        => "activate it: `@activate(@get_local_task_id({id}))`, in a comptime block if it has to run at the start";
    /// A queue is initialized without a color.
    /// A queue is bound to one color.
    QUEUE_COLOR = "queue-color": "this queue needs a color";
    /// Two input queues have the same color.
    /// Wavelets of a color go to one queue.
    QUEUE_COLOR_TWICE = "queue-color-twice": "color {color} already has an input queue"
        => "receive the color through one queue only";
    /// A queue is initialized twice.
    /// A queue is bound once.
    QUEUE_TWICE = "queue-twice": "{kind} queue {queue} is initialized twice"
        => "give one of the two another queue, or remove it";
    /// A rotation counter begins above its limit.
    /// The counter of rotating tasks counts up to its limit.
    ROTATION_COUNTER = "rotation-counter": "the counter begins at {init}, above its limit {limit}"
        => "begin at 0 to {limit}";
    /// Too many pairs of tasks rotate.
    /// The machine has only this many counters for rotating tasks.
    ROTATIONS_USED = "rotations-used": "only {count} pairs of tasks can rotate"
        => "let another task choose with its own counter";
    /// `@rpc` is no longer needed.
    /// Since SDK 1.1 `<memcpy/memcpy>` starts the host call server.
    @Warning(style) RPC_NOT_NEEDED = "rpc-not-needed": "`@rpc` is no longer needed"
        => "remove it";
    /// A task is bound to an id of a system task.
    /// The machine reserves two task ids, for teardown and for its timer.
    @Warning(undefined) SYSTEM_TASK_ID = "system-task-id": "id {id} belongs to the {task} task";
    /// Two tasks are bound to one id.
    /// There is one task table for local, data and control tasks.
    TASK_ID_CLASH = "task-id-clash": "id {id} is already bound to `{other}`";
    /// A task is used, but bound to no id.
    /// Anything that starts or unblocks a task needs its id.
    TASK_NOT_BOUND = "task-not-bound": "this task is bound to no id";
    /// A task parameter has a type that a wavelet cannot carry.
    /// A wavelet carries 16- and 32-bit numbers.
    TASK_PARAMS = "task-params": "{type} cannot be a parameter of a task"
        => "use 16- and 32-bit numbers: `u16`, `i16`, `f16`, `u32`, `i32`, `f32`";
    /// The parameters of a task do not fit its kind.
    /// Local tasks have none; data tasks take the payload of a wavelet.
    TASK_SHAPE = "task-shape": "the parameters of `{name}` do not fit a {kind} task";
    /// Something is blocked or unblocked that has no such state.
    /// Only the channels and tasks of a machine can be blocked.
    UNBLOCK_KIND = "unblock-kind": "{have} cannot be {done} on {arch}";
    /// The run reaches its limit of cycles.
    /// A task that never ends would keep the run going forever, so there is a limit.
    CYCLE_LIMIT = "cycle-limit": "the program is not finished after {limit} cycles";
    /// A control wavelet waits on a blocked channel.
    /// A channel without a data task is blocked until the program unblocks it.
    @Warning CONTROL_CHANNEL_BLOCKED = "control-channel-blocked": "a control wavelet of color {color} waits on {pe} forever";
    /// Nothing can move any more, and something is not finished.
    /// When nothing can move any more, whatever has not finished never will.
    DEADLOCK = "deadlock": "deadlock after {cycles}: {what} can never finish";
    /// The run was interrupted.
    /// A run that was stopped reports what the PEs do at that moment.
    INTERRUPTED = "interrupted": "interrupted after {cycles}";
    /// Wavelets are left on a PE at the end.
    /// Wavelets that nothing receives mean that sender and receiver disagree about their number.
    @Warning LEFTOVER_WAVELETS = "leftover-wavelets": "wavelets of color {color} are left on {pe} at the end"
        => "receive all of them, or send fewer: both sides must agree on the number";
    /// The wafer is in the same state again and again.
    /// A run that repeats a state repeats everything that follows it, so it never ends.
    LIVELOCK = "livelock": "the program repeats the same {cycles} forever"
        => "let the tasks that repeat end, or change what they look at";
    /// Wavelets of one color arrive from several sides at once.
    /// A router has one path for each color; the order of wavelets that arrive from two sides at once is
    /// undefined.
    @Deny(undefined) SIMULTANEOUS_ARRIVALS = "simultaneous-arrivals": "{pe} gets color {color} from {sides} at once";
    /// An active task is still blocked at the end.
    /// An active task runs as soon as it is unblocked; one that stays blocked was probably forgotten.
    @Warning TASK_STAYS_BLOCKED = "task-stays-blocked": "{task} on {pe} is active but blocked at the end"
        => "`@unblock` it when it may run, or do not block it";
    /// A PE sends asynchronously on a color that has no route there.
    /// The operation waits forever, but the PE continues; programs rely on this at the edges of their
    /// rectangle.
    @Warning UNROUTED_ASYNC = "unrouted-async": "{pe} sends asynchronously on color {color}, which has no route there"
        => "give color {color} a route on this PE with `@set_color_config`, or do not send";
    /// A PE sends on a color that has no route there.
    /// A router passes on only the colors that the layout has configured for it.
    UNROUTED_COLOR = "unrouted-color": "{pe} sends on color {color}, which has no route there";
}
