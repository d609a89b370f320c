//! Rules about DSDs, DSRs, FIFOs and their operations.

crate::rules! {
    /// A DSD is folded to numbers when the program is compiled.
    ACCESS_INDEX = "access-index": "this index of an access is not known at comptime";
    /// One index for each dimension of the array.
    ACCESS_INDICES = "access-indices": "an array of {want} dimensions needs {want} indices, not {have}";
    /// A DSD is folded to numbers when the program is compiled.
    ACCESS_LENGTH = "access-length": "this length of an access is not known at comptime";
    /// Each variable of an access has a length.
    ACCESS_LENGTHS = "access-lengths": "an access with {vars} needs {want}, not {have}";
    /// An index would not say which of the two it means.
    ACCESS_NAMES = "access-names": "two induction variables are called `{name}`"
        => "give each variable a name of its own, such as `|i, j|`";
    /// It says which elements the DSD visits.
    ACCESS_STRUCT = "access-struct": "`.tensor_access` needs an access such as `|i|{n} -> array[i]`"
        => "write `.tensor_access = |i|{8} -> array[i]`";
    /// A DSD walks over an array with an address that is known at comptime.
    ACCESS_TARGET = "access-target": "{type} is no array that a DSD could walk over";
    /// The hardware walks over at most four dimensions.
    ACCESS_VARIABLES = "access-variables": "an access has at most {most} induction variables, not {have}";
    /// Operations take DSDs, DSRs, and for some operands scalars.
    ARRAY_OPERAND = "array-operand": "an array is no operand of a DSD operation";
    /// Asynchronous operations wait for wavelets; memory is always ready.
    ASYNC_MEMORY = "async-memory": "an operation without a fabric operand cannot be asynchronous";
    /// Asynchronous settings belong to fabric DSDs.
    ASYNC_SETTING = "async-setting": "`.{name}` has no meaning for a memory DSD"
        => "leave it out: memory is always ready";
    /// The register that holds it has 16 bits.
    BAD_OFFSET = "bad-offset": "{value} is no offset of a DSD";
    /// Extents are whole numbers from 0 to 65535, strides from -32768 to 32767.
    BAD_EXTENT = "bad-extent": "{value} is no extent"
        => "write a number from 0 to 65535";
    /// The stride of a mem1d_dsd has 8 bits, those of a mem4d_dsd have 16.
    @Deny BAD_STRIDE = "bad-stride": "a stride of {value} does not fit";
    /// Load it with `@load_to_dsr_xdsr` first.
    CIRCBUF_OPERAND = "circbuf-operand": "a circbuf_dsd can only be used through a DSR";
    /// At comptime the constant goes on to have its first value, and so do copies of it.
    @Warning(undefined) CONST_DESTINATION = "const-destination": "the constant `{name}` is the destination of an operation";
    /// It drops what arrives on one input queue.
    DFILT_OPERAND = "dfilt-operand": "`@dfilt` filters a fabin_dsd or a dsr_src1 that holds one";
    /// It counts control wavelets and writes nothing.
    DFILT_SETTING = "dfilt-setting": "`.{name}` has no meaning for `@dfilt`";
    /// A task that dropped wavelets itself could do nothing else.
    DFILT_SYNC = "dfilt-sync": "`@dfilt` needs `.async = true`";
    /// The base address of a DSD is a pointer to 16- or 32-bit elements.
    DSD_BASE = "dsd-base": "{type} is no base address";
    /// A mem1d_dsd has one dimension, a mem4d_dsd up to four.
    DSD_DIMENSIONS = "dsd-dimensions": "a {kind} cannot have {have} dimensions";
    /// Each kind of DSD has its own properties.
    DSD_EDIT = "dsd-edit": "`@{name}` does not take a {dsd}";
    /// Elements are 16- or 32-bit numbers.
    DSD_ELEMENT = "dsd-element": "{type} is no element of a DSD";
    /// What a DSD describes is known to its own file only.
    DSD_EXPORT = "dsd-export": "a {dsd} cannot be exported";
    /// Switches of a DSD are set when the program is compiled.
    DSD_FLAG = "dsd-flag": "`.{name}` needs a bool that is known at comptime";
    /// `@get_dsd` makes memory and fabric DSDs.
    DSD_KIND = "dsd-kind": "`@get_dsd` needs a type of DSD, not {type}";
    /// A DSD needs to know where and how many.
    DSD_PROPERTY = "dsd-property": "a {kind} needs the property `.{name}`";
    /// Asynchronous operations, and all operations on wse3, name the queue that they use.
    DSD_QUEUE = "dsd-queue": "this fabric DSD needs a queue";
    /// A variable of DSD type is set before it is used.
    DSD_UNDEFINED = "dsd-undefined": "this DSD has no value"
        => "give it a value first: `@get_dsd(..)`";
    /// Operations through a DSR compute with numbers of 16 or 32 bits.
    DSR_BASE = "dsr-base": "{type} is no base address of a DSR";
    /// Before the start the DSR holds what it was loaded with.
    DSR_BASE_EARLY = "dsr-base-early": "`@set_dsr_base_addr` cannot stand in a comptime block";
    /// A FIFO writes through a dsr_dest and is read through a dsr_src1.
    DSR_FIFO_KIND = "dsr-fifo-kind": "a {fifo} cannot be made of a {have}";
    /// Each register file and each load takes certain DSDs only.
    DSR_LOAD = "dsr-load": "`{name}` cannot load a {dsd} into a {dsr}";
    /// On wse2 the two registers of one operation carry the same number.
    DSR_NUMBERS = "dsr-numbers": "dsr_dest {dest} and dsr_src0 {src0} cannot be used together";
    /// dsr_dest holds destinations, dsr_src1 sources, dsr_src0 either.
    DSR_POSITION = "dsr-position": "a {dsr} cannot be a {position}";
    /// Nobody else binds the queue of a DSD that the program loads itself.
    DSR_QUEUE = "dsr-queue": "the queue of this {dsd} is not bound to its color";
    /// `@get_dsr` makes registers of the five DSR types.
    DSR_TYPE = "dsr-type": "{type} is no DSR type";
    /// Wavelets arrive on it.
    FABIN_DEST = "fabin-dest": "a fabin_dsd cannot be a destination";
    /// Wavelets leave on it.
    FABOUT_SOURCE = "fabout-source": "a fabout_dsd cannot be a source";
    /// The hardware wraps addresses of a FIFO.
    FIFO_ALIGNMENT = "fifo-alignment": "the buffer is aligned to {have} bytes, a FIFO needs {need}";
    /// The lengths belong to the registers of one FIFO.
    FIFO_ARGUMENT = "fifo-argument": "expected a FIFO that is known at comptime, found {type}";
    /// A FIFO lives in a global array.
    FIFO_BUFFER = "fifo-buffer": "{type} is no buffer for a FIFO";
    /// A FIFO keeps its registers for the whole program.
    FIFO_CONST = "fifo-const": "the FIFO `{name}` must be a `const`";
    /// Every push writes into it.
    FIFO_CONST_BUFFER = "fifo-const-buffer": "the buffer `{name}` of a FIFO is a constant";
    /// `@allocate_fifo` sets up its registers.
    FIFO_DSR_LOAD = "fifo-dsr-load": "a FIFO register cannot be loaded";
    /// The compiler chooses all registers of a FIFO, or none.
    FIFO_DSR_MISSING = "fifo-dsr-missing": "{have} without {missing}";
    /// The two DSRs of a FIFO share its state.
    FIFO_DSR_NUMBERS = "fifo-dsr-numbers": "dsr_dest {dest} and dsr_src1 {src} cannot belong to one FIFO";
    /// Operations on FIFOs move elements of 16 or 32 bits.
    FIFO_ELEMENT = "fifo-element": "{type} cannot be an element of a FIFO";
    /// The file that defines the buffer decides where it lies.
    @Warning FIFO_EXTERN = "fifo-extern": "the definition of the FIFO buffer `{name}` must be aligned for a FIFO";
    /// The hardware reads FIFOs through the second source.
    FIFO_FIRST = "fifo-first": "a FIFO cannot be the first of two sources";
    /// The length registers have 16 bits.
    FIFO_LENGTH = "fifo-length": "{value} is no length of a FIFO";
    /// The registers of a FIFO are changed in place.
    FIFO_LENGTH_EARLY = "fifo-length-early": "`@{name}` changes a FIFO only while the program runs";
    /// The registers of an operation are chosen when the program is compiled.
    FIFO_NOT_COMPTIME = "fifo-not-comptime": "this FIFO is not known at comptime";
    /// A FIFO lives as long as the program.
    FIFO_PLACE = "fifo-place": "`@allocate_fifo` can only stand as the initial value of a global constant";
    /// A misspelt setting would be lost.
    FIFO_SETTING = "fifo-setting": "a FIFO has no setting `.{name}`";
    /// Only local tasks can be activated.
    FIFO_TASK = "fifo-task": "`.{setting}` needs a task that is bound as a local task";
    /// A DSR brings the settings of its load along, and those of the operation do not count.
    @Warning(style) IGNORED_SETTING = "ignored-setting": "`.{setting}` has no effect: {dsr} was loaded without it";
    /// Shorter operations have no room for it.
    INDEX_SETTING = "index-setting": "`.index` needs an operation with at least three operands";
    /// DSDs do not say what type their elements have.
    MAP_ANYTYPE = "map-anytype": "`@map` needs to know the types of the parameters";
    /// `@map` has no registers for it.
    MAP_FIFO = "map-fifo": "a FIFO cannot be an operand of `@map`";
    /// It runs once for every element.
    MAP_NO_VECTOR = "map-no-vector": "`@map` needs at least one DSD"
        => "call the function itself";
    /// fabout_dsds cannot be inputs, fabin_dsds cannot be outputs.
    MAP_OPERAND = "map-operand": "a {dsd} cannot be an {position} of `@map`";
    /// Indices are sums of constants and constant multiples of the induction variables.
    NOT_AFFINE = "not-affine": "this index is not affine";
    /// Synchronous operations are complete when the next statement starts.
    NOT_ASYNC = "not-async": "these settings need an asynchronous operation";
    /// Each type of DSD has properties of its own.
    NO_SUCH_PROPERTY = "no-such-property": "a {kind} has no property `.{name}`";
    /// A control wavelet ends an operation, and one thing follows.
    ON_CONTROL = "on-control": "`.on_control` takes one action, not {have}";
    /// The scalar operands of an operation have the type of its elements.
    OPERAND_TYPE = "operand-type": "expected {want}, found {have}"
        => "convert it: `@as`";
    /// fabin_dsds read input queues, fabout_dsds write output queues.
    QUEUE_KIND = "queue-kind": "`.{name}` takes an {want}, not {have}";
    /// Registers of all kinds are few, and some are held for as long as the program runs.
    REGISTERS_EXHAUSTED = "registers-exhausted": "{user} needs {need} {kind}, and {free} are free";
    /// Which register an instruction uses is part of the instruction.
    REGISTER_UNKNOWN = "register-unknown": "{what} is not known at comptime";
    /// A FIFO keeps its registers for as long as the program runs.
    REGISTER_TAKEN = "register-taken": "{register} is in use already";
    /// Wavelets have no address.
    SAVE_ADDRESS = "save-address": "`.save_address` has no meaning for a {dsd}"
        => "leave it out: only a DSD in memory has an address";
    /// Each stride of a vector lies in a register of its own.
    STRIDE_REGISTER_TWICE = "stride-register-twice": "sr {sr} is given twice"
        => "name another stride register";
    /// One for each dimension but the fastest, one less if the fastest stride is 1.
    STRIDE_REGISTERS = "stride-registers": "this DSD needs {need}, not {have}"
        => "name {need}";
    /// An operation does one thing when it is complete.
    TWO_COMPLETIONS = "two-completions": "`.activate` and `.unblock` cannot be combined";
    /// A wse3 operation reads from one queue.
    TWO_FABIN = "two-fabin": "two fabin_dsds in one operation"
        => "move one of them into memory first";
    /// The hardware reads FIFOs through the second source only.
    TWO_FIFOS = "two-fifos": "two FIFOs are sources of one operation";
    /// Microthreads are named while compiling.
    UT_ID_UNKNOWN = "ut-id-unknown": "the `.ut_id` of an operation must be known at comptime";
    /// Each operation has a few forms.
    VECTOR_OPERANDS = "vector-operands": "`@{name}` does not take these operands"
        => "give it operands of one of these forms";
    /// One source at most is set to zero after sending.
    ZERO_CHOICE = "zero-choice": "`.zero` names one source, found {value}";
    /// What is set to zero after sending is a vector in memory.
    ZERO_SOURCE = "zero-source": "`.zero` of the destination names no memory source of this operation"
        => "name the source that lies in memory, or leave out `.zero`";
}
