//! Rules of the module `run`: what a PE may find out while it executes.

crate::rules! {
    /// A task is activated while it is already active.
    /// A task is either active or not: activations are not counted.
    @Warning ALREADY_ACTIVE = "already-active": "`{name}` (id {id}) is already active and will run once";
    /// The condition of an `@assert` is false.
    /// `@assert` states what must be true; on hardware the PE would continue with wrong data.
    @Deny ASSERTION_FAILED = "assertion-failed": "assertion failed: {text}"
        => "look at the variables here with `cslrun debug`, and go back to what has set them";
    /// A buffer of a collective operation is smaller than what moves there.
    /// The library counts elements of 32 bits, for each PE, and does not know how large a buffer is.
    @Warning(undefined) COLLECTIVE_COUNT = "collective-count": "{this}, needs {want} elements of `{name}`, which has {have}";
    /// Nothing calls the `init` of an import of `<collectives_2d/pe>`.
    /// The library sets up its routes and tasks there.
    @Warning COLLECTIVE_INIT = "collective-init": "nothing calls `init` of this import of `<collectives_2d/pe>`"
        => "call it once on each PE before the first operation";
    /// PEs of one line call different collective operations.
    /// Nothing in a wavelet says which operation it belongs to, so all PEs of a line must agree.
    @Deny(undefined) COLLECTIVE_MISMATCH = "collective-mismatch": "the PEs of {line} disagree on collective number {number}: {pe} calls {this}";
    /// The root of a collective operation is not a PE of its line.
    /// The data of a collective operation come from or go to one PE of the line.
    COLLECTIVE_ROOT = "collective-root": "root {root} of a collective is not one of the {size} PEs of {line}";
    /// Code writes to a constant through a pointer.
    /// A cast can remove `const` from a pointer; what it points to is still a constant.
    @Deny(undefined) CONST_WRITTEN = "const-written": "the constant `{name}` is written";
    /// An operation or data task takes a control wavelet as data.
    /// Only the payload arrives; the information that it was a control wavelet is lost.
    @Warning CONTROL_AS_DATA = "control-as-data": "a control wavelet of color {color} is taken as data";
    /// A control wavelet names a task that is not bound.
    /// A control wavelet starts the task whose id it carries, so a task must be bound to that id.
    CONTROL_TASK_UNBOUND = "control-task-unbound": "a control wavelet names task {id}, which is not bound"
        => "declare a task for it, `task told() void { .. }`, and write in a comptime block: `@bind_control_task(told, @get_control_task_id({id}))`";
    /// A pointer to a local is used after its function has returned.
    /// After the function has returned, other calls reuse the memory of its locals.
    @Deny DANGLING_POINTER = "dangling-pointer": "the pointer refers to {what}";
    /// Memory that an asynchronous operation uses is accessed before the end of the operation has been seen.
    /// Whether the operation has reached a word by then depends on the timing.
    @Warning DATA_RACE = "data-race": "`{name}` is {access} while an asynchronous operation may still {does} it";
    /// `@dfilt` uses a DSR that does not fit.
    /// `@dfilt` drops wavelets of one input queue asynchronously.
    DFILT_DSR = "dfilt-dsr": "`@dfilt` uses {dsr}, which {how}";
    /// An integer is divided by zero.
    /// Integer division and remainder are undefined for a zero divisor.
    DIVISION_BY_ZERO = "division-by-zero": "division by zero"
        => "check the divisor first: `if (d != 0)`";
    /// The smallest integer of a type is divided by -1.
    /// The quotient of the smallest integer and -1 does not fit its type.
    @Warning DIVISION_OVERFLOW = "division-overflow": "the quotient does not fit its type"
        => "use a wider type, or check the divisor first: `if (d != -1)`";
    /// A DSD variable is used before it is set.
    /// A DSD variable describes nothing until it is assigned.
    DSD_UNSET = "dsd-unset": "the DSD has never been set"
        => "assign it a DSD first: `@get_dsd(..)`";
    /// A DSR is changed while an operation uses it.
    /// An operation in progress works with its registers until it is complete.
    @Deny(undefined) DSR_BUSY = "dsr-busy": "{dsr} is changed while an operation still uses it";
    /// An operation uses a DSR that holds no DSD.
    /// A DSR describes nothing until a DSD is loaded.
    DSR_EMPTY = "dsr-empty": "{dsr} holds no DSD"
        => "load it first: `@load_to_dsr(register, dsd)`";
    /// `@set_dsr_base_addr` is applied to a DSR without a memory DSD.
    /// Only vectors in memory have a base address.
    DSR_NOT_MEMORY = "dsr-not-memory": "`@set_dsr_base_addr` cannot move {dsr}, which holds {what}"
        => "load a mem1d_dsd or mem4d_dsd into it first";
    /// An operation uses a FIFO DSR that holds no FIFO.
    /// The type of a FIFO DSR states that `@allocate_fifo` has set up the register.
    FIFO_DSR_EMPTY = "fifo-dsr-empty": "{dsr} holds no FIFO"
        => "give the register to a FIFO: `@allocate_fifo(buffer, .{ .dest = .., .src = .., .xdsr = .. })`";
    /// A FIFO is full or empty, and the DSR type cannot report it.
    /// Only operands of FIFO type tell a synchronous operation that a FIFO is full or empty.
    FIFO_EVENT = "fifo-event": "the FIFO `{fifo}` is {state}, and {dsr} cannot tell";
    /// A FIFO with `.fault` becomes full or empty.
    /// `.fault` declares that the event must never happen.
    FIFO_FAULT = "fifo-fault": "the FIFO `{name}` is {state}, and its `.{setting}` is `.fault`"
        => "prevent it from being {state}, or choose another `.{setting}`";
    /// A FIFO stops an operation early, and the result is dropped.
    /// A synchronous operation that finds a FIFO full or empty ends early; only its result reports it.
    @Warning FIFO_RESULT = "fifo-result": "the FIFO `{fifo}` is {state}, and the result of the operation is dropped";
    /// A float does not fit into the integer type that it is converted to.
    /// A conversion to an integer is undefined for numbers that the integer type cannot hold.
    @Warning FLOAT_TO_INT_RANGE = "float-to-int-range": "{value} does not fit {ty}"
        => "limit the number first, or convert to a wider type";
    /// A flush handler returns without `queue_flush.exit`.
    /// A flush lasts until its handler ends it; on hardware the handler would run again at once.
    @Deny FLUSH_NOT_LEFT = "flush-not-left": "the handler of {queue} returned without `queue_flush.exit`";
    /// A queue is flushed again during a flush.
    /// A queue may be flushed again only after its previous flush has ended.
    @Deny FLUSH_OPEN = "flush-open": "{queue} is still in its last flush";
    /// A flush handler runs before an operation on the queue is complete.
    /// A queue is also empty before an operation starts to fill it.
    @Warning FLUSH_TOO_EARLY = "flush-too-early": "{queue} is empty, but an operation on it is not done";
    /// Code writes to an element that its array does not have.
    /// Array elements are numbered from 0; memory outside of the array belongs to something else.
    @Deny(undefined) INDEX_OUT_OF_BOUNDS = "index-out-of-bounds": "index {index} is outside of an array of {len}"
        => "indices count from 0, so the last one is the length minus 1";
    /// A wavelet index does not fit into 14 bits.
    /// `control_transform` marks control wavelets in the two highest bits of the index.
    @Deny INDEX_TOO_WIDE = "index-too-wide": "the index {index} of a wavelet does not fit into 14 bits";
    /// An angle is too large for `<math>` of the machine.
    /// `<math>` of the machine gives wrong results for angles of 16384*pi and more; cslrun does not.
    @Warning LARGE_ANGLE = "large-angle": "`{function}` of {angle} gives a wrong result on the machine";
    /// A memory operand is shorter than its operation.
    /// The first source sets the number of elements, and memory operands must have that many.
    @Warning LENGTH_MISMATCH = "length-mismatch": "an operation on {one} elements has a memory operand of {other}"
        => "give both the same length: `@set_dsd_length`";
    /// The operands of `@map` have different lengths.
    /// `@map` ends with its shortest operand; extra elements that it has read from the others are lost.
    @Warning MAP_LENGTHS = "map-lengths": "`@map` ends after {short} elements, but another input has {long}";
    /// `@map` uses a DSR that was loaded without `.single_step`.
    /// `@map` processes one element at a time, which needs a DSR that was loaded with `.single_step`.
    @Deny(undefined) MAP_SINGLE_STEP = "map-single-step": "`@map` uses {dsr}, which was loaded without `.single_step`";
    /// `get_params` is asked for a column that the rectangle does not have.
    /// The library learns from it which PEs are in the first and the last column.
    @Warning MEMCPY_COLUMN = "memcpy-column": "column {column} is outside of the {width} columns of `<memcpy/get_params>`";
    /// `<memcpy/memcpy>` is imported without parameters.
    /// The layout's half of the library tells that of each PE where it lies and which streams there are.
    @Warning MEMCPY_PARAMS = "memcpy-params": "`<memcpy/memcpy>` is imported without the parameters of this PE"
        => "write `@import_module(\"<memcpy/memcpy>\", memcpy_params)`, with what `get_params` of `<memcpy/get_params>` gives";
    /// An operation writes a word outside of its tensor, or reaches one outside of the memory.
    /// Outside of the tensor that a DSD was made from lies other data, which it would destroy.
    @Deny(undefined) MEMORY_OUT_OF_BOUNDS = "memory-out-of-bounds": "word {address} is outside of {what}"
        => "shorten the DSD, or move it back, so that it ends inside";
    /// A message is longer than its buffer.
    /// The sender decides how long a message is; nothing stops it at the end of a buffer.
    MESSAGE_LENGTH = "message-length": "a message has {length} elements, but {whose}";
    /// The receiver of a message is outside of the rectangle.
    /// Messages are addressed to a position in the rectangle.
    MESSAGE_TARGET = "message-target": "{pe}, the receiver of a message, is outside of the rectangle of {rectangle} PEs";
    /// An operation starts on a microthread that is busy.
    /// A microthread runs one operation at a time.
    @Deny(undefined) MICROTHREAD_IN_USE = "microthread-in-use": "microthread {ut}{chosen} still runs another operation"
        => "start it in a task that the other operation activates when it is complete: `.activate`";
    /// An operation needs the microthread of its queue, and that one is busy.
    /// Without `.ut_id` an operation runs on the microthread of its queue; on WSE-3 another microthread can
    /// run it.
    @Warning MICROTHREAD_OF_QUEUE = "microthread-of-queue": "microthread {ut}{chosen} still runs another operation"
        => "use another microthread: `.ut_id = @get_ut_id(n)`";
    /// An operation lacks the `.index` that its operand needs.
    /// A DSD with `wavelet_index_offset` takes its offset from the operation.
    @Deny(undefined) MISSING_INDEX = "missing-index": "the operation needs `.index`: an operand has `wavelet_index_offset`"
        => "add `.{ .index = .. }` to the operation";
    /// A color has no counter filter on this PE.
    /// Only counter filters have a state that a program can change.
    NO_COUNTER = "no-counter-filter": "color {color} has no counter filter on this PE";
    /// A call goes through a pointer that points to no function.
    /// A pointer to a function can only hold the address of a function of the program.
    NO_FUNCTION = "no-function": "the pointer points to no function"
        => "assign the address of a function to it first";
    /// Code reads, or takes the address of, an element that its array does not have.
    /// What lies there belongs to something else. Of an index of 32 bits the machine takes the lower half, so with a wrong
    /// upper half code may even write.
    @Warning(undefined) OUTSIDE_ARRAY = "outside-array": "index {index} is outside of an array of {len}"
        => "indices count from 0, so the last one is the length minus 1";
    /// A vector is read beyond its variable, or its address was set at run time and it leaves the variable there.
    /// Nothing keeps a vector inside of a variable: it goes on in the one that lies behind it.
    @Warning(undefined) OUTSIDE_VARIABLE = "outside-variable": "a vector leaves {what}: its element at word {address} lies outside"
        => "shorten the vector, or start it where all of it lies inside";
    /// An operation writes elements that it has yet to read.
    /// The hardware processes several elements at once, so it may read an element before it is written.
    @Warning OVERLAP = "overlap": "the destination is {lag} ahead of a source in the same array";
    /// A task calls `teardown.get_pending` twice.
    /// Reading the register of pending teardowns clears it; a second read returns nothing.
    @Deny(undefined) PENDING_TWICE = "pending-twice": "this task has called `teardown.get_pending` before";
    /// A pointer is used beyond the end of its variable.
    /// A pointer to many elements covers the variable that it was made from, and nothing beyond it.
    @Deny(undefined) POINTER_OUT_OF_BOUNDS = "pointer-out-of-bounds": "element {index} of this pointer is outside of `{name}`"
        => "keep the index below the number of elements";
    /// An operation starts on a queue that another operation uses.
    /// The elements of two operations on one queue would mix.
    @Deny(undefined) QUEUE_IN_USE = "queue-in-use": "another operation still uses {queue}";
    /// An operation starts on a queue that still holds wavelets of another color.
    /// Wavelets that an operation leaves in a queue would mix with those of the next operation.
    @Warning(undefined) QUEUE_NOT_EMPTY = "queue-not-empty": "{queue} still holds {count} of color {color}";
    /// A microthread priority is set in a register and has no effect.
    /// On the machine this register sets the priority of the microthread of an input queue; cslrun takes the
    /// priority from `@initialize_queue` and from the operation.
    @Warning QUEUE_PRIORITY = "queue-priority": "the priority of microthread {id} is set in a register, which has no effect"
        => "write `.priority` in `@initialize_queue` or in the settings of the operation";
    /// A queue is bound to another color while it holds wavelets.
    /// Wavelets left in the queue would be read as wavelets of the new color.
    @Deny(undefined) QUEUE_REBOUND = "queue-rebound": "{queue} gets color {color} while it holds {count} of color {held}"
        => "wait until it is empty: `@queue_flush`";
    /// Operations share a queue, and the order of their wavelets is undefined.
    /// The order in which the operations proceed is not specified.
    @Warning QUEUE_SHARED = "queue-shared": "another operation still uses {queue}";
    /// An operation uses a queue without a color.
    /// Wavelets reach a queue through its color, so a queue without a color never carries any.
    QUEUE_UNBOUND = "queue-unbound": "no color is bound to {queue}";
    /// An operation uses an XDSR or stride register that another load has changed.
    /// XDSRs and stride registers are few, and each holds what was loaded last.
    @Deny REGISTER_OVERWRITTEN = "register-overwritten": "{register} of {dsr} was loaded again for {other}"
        => "give each of the two loads its own registers";
    /// A shift amount is as large as the width of the type, or larger.
    /// Shifting by the width of the type or more is undefined.
    SHIFT_TOO_FAR = "shift-too-far": "a shift by {amount} of a type of {width} bits"
        => "shift by less than {width}";
    /// An operation other than `@map` uses a DSR loaded with `.single_step`.
    /// A DSR that is loaded for `@map` stops after each element.
    @Deny(undefined) SINGLE_STEP = "single-step": "an operation uses {dsr}, which was loaded with `.single_step`";
    /// A call does not fit into memory.
    /// Call frames live in the memory of the PE, and it is small.
    STACK_OVERFLOW = "stack-overflow": "the call of `{name}` does not fit into memory"
        => "end the recursion earlier, or write it as a loop";
    /// An operation and a task take wavelets of the same color.
    /// Each wavelet goes to one of them; which one is not specified.
    @Warning STOLEN_WAVELETS = "stolen-wavelets": "an operation and a task both receive wavelets of color {color}";
    /// No exported variable has this id.
    /// Only ids that `@get_symbol_id` returns are valid.
    SYMBOL_ID = "symbol-id": "no exported variable has the id {id}";
    /// A task id is activated that has no local task bound to it.
    /// Only a bound local task can be activated. In code that may never run it is a warning; the run stops where the
    /// activation happens.
    @Warning TASK_UNBOUND = "task-unbound": "no local task is bound to {id}"
        => "write in a comptime block: `@bind_local_task(task, @get_local_task_id({id}))`";
    /// A time stamp is read, but the counter has never been started on this PE.
    /// The time stamp counter stands still until `enable_tsc` starts it, so all time stamps are equal.
    @Warning TIMESTAMP_STOPPED = "timestamp-stopped": "the time stamp counter of this PE has never been started"
        => "call `enable_tsc` of `<time>` first";
    /// Code reaches `unreachable`.
    /// `unreachable` promises that execution never gets there.
    TRAP = "unreachable-reached": "{text}"
        => "handle the case that leads here";
    /// The command stream is unblocked twice.
    /// The host continues at the first call; the second one may happen during another launch.
    @Warning UNBLOCKED_TWICE = "unblocked-twice": "the command stream is already unblocked";
    /// A program uses a configuration word that cslrun does not model.
    /// Only some words of the configuration space have a model.
    @Warning UNKNOWN_CONFIG = "config-address-unknown": "configuration word {address} is not modelled"
        => "use `<tile_config>` or `@set_local_color_config` if they can do the same";
    /// A program unmasks an exception, and cslrun raises none.
    /// Exceptions that are not masked stop the PE; cslrun raises none.
    @Warning UNMASKED_EXCEPTION = "unmasked-exception": "cslrun raises no exceptions, so to unmask one has no effect"
        => "look for NaN and infinity in the results: the PE goes on where the machine would stop it";
    /// Text is printed that no end of a line follows.
    /// `<simprint>` prints whole lines: what is left when the run ends is dropped.
    @Warning UNPRINTED_TEXT = "unprinted-text": "the text \"{text}\" is not printed: its line has not ended"
        => "end the line with `\\n`, or print with `fmt`, which ends it";
    /// A local is read before it has a value.
    /// Until a local gets a value, its registers and words hold whatever was left there.
    @Warning UNSET_VARIABLE = "unset-variable": "`{name}` is read before it has a value";
    /// A pointer is used with a type that does not match its variable.
    /// A cast of a pointer does not change the type of the variable that it points to.
    @Deny(undefined) WRONG_CAST = "wrong-cast": "`{name}` is {have}, not {want}";
}
