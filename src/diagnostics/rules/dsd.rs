//! Rules about DSDs, DSRs, FIFOs and their operations.

crate::rules! {
    /// An index of a tensor access is not known at comptime.
    /// The compiler reduces a DSD to numbers.
    ACCESS_INDEX = "access-index": "this index of an access is not known at comptime";
    /// A tensor access has too few or too many indices.
    /// An access needs one index for each dimension of the array.
    ACCESS_INDICES = "access-indices": "an array of {dims} needs {want}, not {have}";
    /// A length of a tensor access is not known at comptime.
    /// The compiler reduces a DSD to numbers.
    ACCESS_LENGTH = "access-length": "this length of an access is not known at comptime";
    /// A tensor access has too few or too many lengths.
    /// Each variable of an access has a length.
    ACCESS_LENGTHS = "access-lengths": "an access with {vars} needs {want}, not {have}";
    /// Two induction variables have the same name.
    /// An index could mean either of them.
    ACCESS_NAMES = "access-names": "two induction variables are named `{name}`"
        => "give each variable its own name, such as `|i, j|`";
    /// `.tensor_access` has a value that is not an access.
    /// The access says which elements the DSD visits.
    ACCESS_STRUCT = "access-struct": "`.tensor_access` needs an access such as `|i|{n} -> array[i]`"
        => "write `.tensor_access = |i|{8} -> array[i]`";
    /// A tensor access does not access an array.
    /// A DSD visits elements of an array whose address is known at comptime.
    ACCESS_TARGET = "access-target": "{type} is not an array that a DSD can access";
    /// An index of a tensor access combines its induction variables with a number of another type.
    /// The variables are i16, and the vendor's compiler is said to refuse any other type beside them.
    @Warning ACCESS_TYPE = "access-type": "`{text}` is {type}, but the induction variables are i16";
    /// A tensor access has too many induction variables.
    /// The hardware iterates over at most four dimensions.
    ACCESS_VARIABLES = "access-variables": "an access has at most {most} induction variables, not {have}";
    /// An array is used as operand of a DSD operation.
    /// Operations take DSDs, DSRs, and for some operands scalars.
    ARRAY_OPERAND = "array-operand": "an array cannot be an operand of a DSD operation";
    /// An operation without a fabric operand is asynchronous.
    /// Asynchronous operations wait for wavelets; memory is always ready.
    ASYNC_MEMORY = "async-memory": "an operation without a fabric operand cannot be asynchronous";
    /// An asynchronous setting is given for a memory DSD.
    /// Asynchronous settings belong to fabric DSDs.
    ASYNC_SETTING = "async-setting": "`.{name}` has no meaning for a memory DSD"
        => "remove it: memory is always ready";
    /// A DSD offset does not fit into its register.
    /// The offset register has 16 bits.
    BAD_OFFSET = "bad-offset": "{value} is not a valid DSD offset";
    /// An extent or stride is out of range.
    /// Extents are whole numbers from 0 to 65535, strides from -32768 to 32767.
    BAD_EXTENT = "bad-extent": "{value} is not a valid extent"
        => "write a number from 0 to 65535";
    /// A stride does not fit into its register.
    /// The documents give the stride of a mem1d_dsd 8 bits. WSE-3 takes 16, of WSE-2 nothing is known.
    @Warning BAD_STRIDE = "bad-stride": "a stride of {value} does not fit into 8 bits"
        => "use a mem4d_dsd: its strides have 16 bits";
    /// A `circbuf_dsd` is used without a DSR.
    /// A `circbuf_dsd` must be loaded with `@load_to_dsr_xdsr` first.
    CIRCBUF_OPERAND = "circbuf-operand": "a circbuf_dsd can only be used through a DSR"
        => "load it with `@load_to_dsr_xdsr`, and use that DSR";
    /// A constant is the destination of a DSD operation.
    /// The compiler keeps using the initial value of the constant, whatever is written to it.
    @Warning(undefined) CONST_DESTINATION = "const-destination": "the constant `{name}` is the destination of an operation";
    /// What a control wavelet should carry is sent as data.
    /// Only a DSD with `.control = true` sends control wavelets; as data the word starts no task and moves no switch.
    @Warning CONTROL_PAYLOAD = "control-payload": "the payload of a control wavelet is sent as data"
        => "add `.control = true` to the fabout_dsd";
    /// The operand of `@dfilt` does not read an input queue.
    /// `@dfilt` drops wavelets that arrive on one input queue.
    DFILT_OPERAND = "dfilt-operand": "`@dfilt` filters a fabin_dsd or a dsr_src1 that holds one";
    /// A setting has no meaning for `@dfilt`.
    /// `@dfilt` counts control wavelets and writes nothing.
    DFILT_SETTING = "dfilt-setting": "`.{name}` has no meaning for `@dfilt`";
    /// `@dfilt` is not asynchronous.
    /// A task that waited for the wavelets to be dropped could do nothing else.
    DFILT_SYNC = "dfilt-sync": "`@dfilt` needs `.async = true`";
    /// A base address has the wrong type.
    /// The base address of a DSD is a pointer to 16- or 32-bit elements.
    DSD_BASE = "dsd-base": "{type} is not a valid base address";
    /// A DSD has too many dimensions for its type.
    /// A mem1d_dsd has one dimension, a mem4d_dsd up to four.
    DSD_DIMENSIONS = "dsd-dimensions": "a {kind} cannot have {have} dimensions";
    /// A builtin changes a property that this DSD does not have.
    /// Each kind of DSD has its own properties.
    DSD_EDIT = "dsd-edit": "`@{name}` does not take a {dsd}";
    /// A DSD has elements that are not 16- or 32-bit numbers.
    /// Elements are 16- or 32-bit numbers.
    DSD_ELEMENT = "dsd-element": "{type} cannot be an element of a DSD";
    /// A DSD is exported.
    /// Only the file of a DSD knows what the DSD describes.
    DSD_EXPORT = "dsd-export": "a {dsd} cannot be exported";
    /// A property of a DSD is not a bool that is known at comptime.
    /// Boolean properties of a DSD are set at compile time.
    DSD_FLAG = "dsd-flag": "`.{name}` needs a bool that is known at comptime";
    /// `@get_dsd` is given a type that is not a DSD type.
    /// `@get_dsd` makes memory and fabric DSDs.
    DSD_KIND = "dsd-kind": "`@get_dsd` needs a DSD type, not {type}";
    /// A DSD lacks a property.
    /// A DSD must say where its elements are and how many there are.
    DSD_PROPERTY = "dsd-property": "a {kind} needs the property `.{name}`";
    /// A fabric DSD names no queue.
    /// Asynchronous operations, and all operations on wse3, must name the queue that they use.
    DSD_QUEUE = "dsd-queue": "this fabric DSD needs a queue";
    /// A DSD is used before it has a value.
    /// A variable of DSD type must be set before it is used.
    DSD_UNDEFINED = "dsd-undefined": "this DSD has no value"
        => "give it a value first: `@get_dsd(..)`";
    /// The base address of a DSR has the wrong type.
    /// Operations on a DSR compute with numbers of 16 or 32 bits.
    DSR_BASE = "dsr-base": "{type} is not a valid base address for a DSR";
    /// `@set_dsr_base_addr` is used in a comptime block.
    /// Before the start the DSR holds what it was loaded with, so load it with the right address.
    DSR_BASE_EARLY = "dsr-base-early": "`@set_dsr_base_addr` is not allowed in a comptime block";
    /// Two operands with different names are the same register.
    /// A DSR holds what it was loaded with last, so that both operands are the same vector.
    @Warning DSR_SHARED = "dsr-shared": "`{one}` and `{other}` are the same register, {dsr}"
        => "give one of them another number";
    /// An operation on elements of one width is given an array of elements of another.
    /// Operations read the bits in memory, whatever the type of the variable.
    @Warning ELEMENT_WIDTH = "element-width": "`@{op}` works on {bits} bits at a time here, but `{name}` has elements of {type}"
        => "use the operation for the type of the array, or convert the array first";
    /// An operation shifts all bits out of its elements.
    /// Shifts by 0 to 15 bits leave something of a 16-bit element.
    @Warning DSD_SHIFT_TOO_FAR = "dsd-shift-too-far": "`@{op}` shifts elements of 16 bits by {amount}"
        => "shift by 0 to 15";
    /// A fabric DSD says another number of elements than the operation moves.
    /// The first source that has a length decides how many elements there are.
    @Warning EXTENT_IGNORED = "extent-ignored": "{count} elements are moved, although the extent of this DSD is {extent}"
        => "give both operands the same number of elements";
    /// A FIFO DSR is made from the wrong kind of register.
    /// A FIFO writes through a dsr_dest and is read through a dsr_src1.
    DSR_FIFO_KIND = "dsr-fifo-kind": "a {fifo} cannot be made from a {have}";
    /// A load does not take this kind of DSD or DSR.
    /// Each register file and each load takes certain DSDs only.
    DSR_LOAD = "dsr-load": "`{name}` cannot load a {dsd} into a {dsr}";
    /// `dsr_dest` and `dsr_src0` of one WSE-2 operation have different numbers.
    /// On wse2 the two registers of one operation must have the same number.
    DSR_NUMBERS = "dsr-numbers": "dsr_dest {dest} and dsr_src0 {src0} cannot be used together";
    /// A DSR is used in a position that its type does not allow.
    /// dsr_dest holds destinations, dsr_src1 sources, dsr_src0 either.
    DSR_POSITION = "dsr-position": "a {dsr} cannot be a {position}";
    /// A DSR holds a fabric DSD whose queue is not bound to its color.
    /// The program must bind the queue of a DSD that it loads itself. In code that may never run it is a warning; the
    /// run stops at such a load, except in a program with `@bind_task`.
    @Warning DSR_QUEUE = "dsr-queue": "the queue of this {dsd} is not bound to its color";
    /// `@get_dsr` is given a type that is not a DSR type.
    /// `@get_dsr` makes registers of the five DSR types.
    DSR_TYPE = "dsr-type": "{type} is not a DSR type";
    /// A `fabin_dsd` is a destination.
    /// Wavelets arrive on a fabin_dsd; they cannot be written to it.
    FABIN_DEST = "fabin-dest": "a fabin_dsd cannot be a destination";
    /// A `fabout_dsd` is a source.
    /// Wavelets leave on a fabout_dsd; they cannot be read from it.
    FABOUT_SOURCE = "fabout-source": "a fabout_dsd cannot be a source";
    /// The buffer of a FIFO is not aligned.
    /// The hardware wraps addresses of a FIFO.
    FIFO_ALIGNMENT = "fifo-alignment": "the buffer is aligned to {have} bytes, a FIFO needs {need}";
    /// A FIFO is expected that is known at comptime.
    /// The lengths belong to the registers of one FIFO.
    FIFO_ARGUMENT = "fifo-argument": "expected a FIFO that is known at comptime, found {type}";
    /// The buffer of a FIFO is not a global array.
    /// A FIFO lives in a global array.
    FIFO_BUFFER = "fifo-buffer": "{type} cannot be the buffer of a FIFO";
    /// A FIFO is not a `const`.
    /// A FIFO keeps its registers for the whole program.
    FIFO_CONST = "fifo-const": "the FIFO `{name}` must be a `const`";
    /// The buffer of a FIFO is a constant.
    /// Every push writes into the buffer.
    FIFO_CONST_BUFFER = "fifo-const-buffer": "the buffer `{name}` of a FIFO is a constant";
    /// A register of a FIFO is loaded.
    /// `@allocate_fifo` sets up its registers.
    FIFO_DSR_LOAD = "fifo-dsr-load": "a FIFO register cannot be loaded";
    /// A FIFO is given only some of its registers.
    /// The compiler chooses all registers of a FIFO or none.
    FIFO_DSR_MISSING = "fifo-dsr-missing": "{have} without {missing}";
    /// The two DSRs of a FIFO have different numbers.
    /// The two DSRs of a FIFO share its state.
    FIFO_DSR_NUMBERS = "fifo-dsr-numbers": "dsr_dest {dest} and dsr_src1 {src} cannot belong to one FIFO";
    /// A FIFO has elements of the wrong type.
    /// Operations on FIFOs move elements of 16 or 32 bits.
    FIFO_ELEMENT = "fifo-element": "{type} cannot be an element of a FIFO";
    /// An `extern` FIFO buffer is not aligned where it is defined.
    /// The file that defines the buffer decides where it is placed.
    @Warning FIFO_EXTERN = "fifo-extern": "the definition of the FIFO buffer `{name}` must be aligned for a FIFO";
    /// A FIFO is the first of two sources.
    /// The hardware reads FIFOs through the second source.
    FIFO_FIRST = "fifo-first": "a FIFO cannot be the first of two sources";
    /// A FIFO length is out of range.
    /// The length registers have 16 bits.
    FIFO_LENGTH = "fifo-length": "{value} is not a valid FIFO length";
    /// The length of a FIFO is changed before the program runs.
    /// The registers of a FIFO are changed in place.
    FIFO_LENGTH_EARLY = "fifo-length-early": "`@{name}` can change a FIFO only at run time";
    /// A FIFO is not known at comptime.
    /// The registers of an operation are chosen when the program is compiled.
    FIFO_NOT_COMPTIME = "fifo-not-comptime": "this FIFO is not known at comptime";
    /// `@allocate_fifo` is used in the wrong place.
    /// A FIFO lives as long as the program.
    FIFO_PLACE = "fifo-place": "`@allocate_fifo` is only allowed as the initial value of a global constant";
    /// `@allocate_fifo` has no such setting.
    /// A misspelled setting would be ignored silently.
    FIFO_SETTING = "fifo-setting": "a FIFO has no setting `.{name}`";
    /// A FIFO activates something that is not a local task.
    /// Only local tasks can be activated.
    FIFO_TASK = "fifo-task": "`.{setting}` needs a task that is bound as a local task";
    /// A setting has no effect because the DSR was loaded without it.
    /// A DSR keeps the settings it was loaded with; the operation cannot override them.
    @Warning(style) IGNORED_SETTING = "ignored-setting": "`.{setting}` has no effect: {dsr} was loaded without it";
    /// `.index` is given to an operation with too few operands.
    /// Operations with fewer operands have no slot for an index.
    INDEX_SETTING = "index-setting": "`.index` needs an operation with at least three operands";
    /// `@map` is given a function with `anytype` parameters.
    /// DSDs do not say what type their elements have.
    MAP_ANYTYPE = "map-anytype": "`@map` needs to know the types of the parameters";
    /// A FIFO is an operand of `@map`.
    /// `@map` has no registers for a FIFO.
    MAP_FIFO = "map-fifo": "a FIFO cannot be an operand of `@map`";
    /// `@map` has no DSD operand.
    /// `@map` calls its function once for every element of a vector.
    MAP_NO_VECTOR = "map-no-vector": "`@map` needs at least one DSD"
        => "call the function itself";
    /// An operand of `@map` has the wrong direction.
    /// fabout_dsds cannot be inputs, fabin_dsds cannot be outputs.
    MAP_OPERAND = "map-operand": "a {dsd} cannot be an {position} of `@map`";
    /// An index is not an affine expression of the induction variables.
    /// Indices are sums of constants and constant multiples of the induction variables.
    NOT_AFFINE = "not-affine": "this index is not affine";
    /// A synchronous operation has settings for asynchronous ones.
    /// Synchronous operations are complete when the next statement starts.
    NOT_ASYNC = "not-async": "these settings need an asynchronous operation";
    /// A DSD type has no such property.
    /// Each type of DSD has properties of its own.
    NO_SUCH_PROPERTY = "no-such-property": "a {kind} has no property `.{name}`";
    /// `.on_control` names several actions or none.
    /// A control wavelet ends the operation, which can then do one thing.
    ON_CONTROL = "on-control": "`.on_control` takes one action, not {have}";
    /// A load of a mem4d_dsd does not name the registers of its dimensions.
    /// Releases up to 1.4 load it without them.
    @Deny(style) OLD_DSR_LOAD = "old-dsr-load": "`@load_to_dsr` loads a mem4d_dsd only up to SDK 1.4"
        => "use `@load_to_dsr_xdsr_sr`";
    /// A DSD gives its queue as a number.
    /// Releases before 1.1 number queues; since then a queue has a type of its own.
    @Warning(style) OLD_QUEUE_NUMBER = "old-queue-number": "`.{name} = {n}` is syntax of SDK releases before 1.1"
        => "write `@get_input_queue({n})` or `@get_output_queue({n})`";
    /// A scalar operand has the wrong type.
    /// The scalar operands of an operation have the type of its elements.
    OPERAND_TYPE = "operand-type": "expected {want}, found {have}"
        => "convert it: `@as`";
    /// An input queue is used for output, or the other way round.
    /// fabin_dsds read input queues, fabout_dsds write output queues.
    QUEUE_KIND = "queue-kind": "`.{name}` takes an {want}, not {have}";
    /// There are not enough free registers.
    /// Registers of all kinds are few, and some are held for as long as the program runs.
    REGISTERS_EXHAUSTED = "registers-exhausted": "{user} needs {need} {kind}, but {free} are free";
    /// The number of a register is not known at comptime.
    /// Which register an instruction uses is part of the instruction.
    REGISTER_UNKNOWN = "register-unknown": "{what} is not known at comptime";
    /// A register is already in use.
    /// A FIFO keeps its registers for as long as the program runs.
    REGISTER_TAKEN = "register-taken": "{register} is already in use";
    /// `.save_address` is given for a DSD that has no address.
    /// Wavelets have no address.
    SAVE_ADDRESS = "save-address": "`.save_address` has no meaning for a {dsd}"
        => "remove it: only a DSD in memory has an address";
    /// One stride register is given for two strides.
    /// Each stride of a vector needs a register of its own.
    STRIDE_REGISTER_TWICE = "stride-register-twice": "sr {sr} is given twice"
        => "use another stride register";
    /// A load has too few or too many stride registers.
    /// One for each dimension but the fastest, one less if the fastest stride is 1.
    STRIDE_REGISTERS = "stride-registers": "this DSD needs {need}, not {have}"
        => "give it {need}";
    /// An operation has both `.activate` and `.unblock`.
    /// An operation does one thing when it is complete.
    TWO_COMPLETIONS = "two-completions": "`.activate` and `.unblock` cannot be combined";
    /// An operation has two `fabin_dsd` sources.
    /// A wse3 operation reads from one queue.
    TWO_FABIN = "two-fabin": "two fabin_dsds in one operation"
        => "move one of them into memory first";
    /// An operation has two FIFOs as sources.
    /// The hardware reads FIFOs through the second source only.
    TWO_FIFOS = "two-fifos": "two FIFOs are sources of one operation";
    /// The `.ut_id` of an operation is not known at comptime.
    /// The microthread of an operation is chosen at compile time.
    UT_ID_UNKNOWN = "ut-id-unknown": "the `.ut_id` of an operation must be known at comptime";
    /// An operation does not take this combination of operands.
    /// Each operation has a few forms.
    VECTOR_OPERANDS = "vector-operands": "`@{name}` does not take these operands"
        => "give it operands of one of these forms";
    /// `.zero` does not name one source.
    /// At most one source is set to zero after sending.
    ZERO_CHOICE = "zero-choice": "`.zero` takes one source, found {value}";
    /// `.zero` names no memory source of the operation.
    /// Only a vector in memory can be set to zero after sending.
    ZERO_SOURCE = "zero-source": "`.zero` of the destination names no memory source of this operation"
        => "give the source that is in memory, or remove `.zero`";
}
