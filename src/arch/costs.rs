//! The table of costs of a machine: how many cycles each class of operation takes (estimates).
//!
//! docs/timing.md says how the numbers were fitted, and what they leave out.

/// The costs of one machine, in cycles.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Costs {
    /// The scalar code of the main thread.
    pub scalar: ScalarCosts,
    /// Tasks, and builtins that concern them.
    pub tasks: TaskCosts,
    /// DSD operations.
    pub vectors: VectorCosts,
}

/// Scalar code. Registers have 16 bits: what works on wider values takes an operation for each word.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ScalarCosts {
    /// From one register to another, for each word.
    pub copy: u16,
    /// Addition, subtraction, bits and comparisons of 16 bits.
    pub arithmetic: u16,
    /// The same of 32 bits.
    pub wide_arithmetic: u16,
    /// A shift of one word.
    pub shift: u16,
    /// A shift of more than one word.
    pub wide_shift: u16,
    /// A product of one word.
    pub multiply: u16,
    /// A product of more than one word.
    pub wide_multiply: u16,
    /// A quotient or remainder of one word; the machine has no division of integers.
    pub divide: u16,
    /// A quotient or remainder of more than one word.
    pub wide_divide: u16,
    /// A sum, product or comparison of floats.
    pub float: u16,
    /// A quotient of floats.
    pub float_divide: u16,
    /// From an integer to a float and back.
    pub convert: u16,
    /// A load of up to 32 bits.
    pub load: u16,
    /// A store of up to 32 bits.
    pub store: u16,
    /// In addition, for a load from an address that is computed: what follows waits for it.
    pub wait: u16,
    /// The address of an element whose index is not known at comptime.
    pub index: u16,
    /// A jump, taken or not, apart from its comparison.
    pub jump: u16,
    /// In addition, for the jump back of a loop.
    pub repeat: u16,
    /// A call.
    pub call: u16,
    /// The return from a function, or the end of a task.
    pub leave: u16,
    /// A function of `<math>`.
    pub math: u16,
    /// An iteration of `@map`, in addition to its function and a result.
    pub iteration: u16,
    /// An access to a register of the tile: counter, switch, random numbers.
    pub register: u16,
}

/// Tasks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TaskCosts {
    /// From picking a local task, or what the host has launched, to its first operation.
    pub start: u16,
    /// The same for a task that a wavelet starts.
    pub data_start: u16,
    /// A command of the host, on a wafer that has nothing else to do: from the end of a launched function to the start of
    /// the next one, and as much for each copy between them.
    pub command: u16,
    /// `@activate`, `@block`, `@unblock`.
    pub state: u16,
}

/// DSD operations.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct VectorCosts {
    /// At the start of an operation, for each operand that is a constant DSD, and must be loaded into a DSR.
    pub dsd: u16,
    /// The same for a DSD that code can change.
    pub variable: u16,
    /// The same for each operand that is a scalar.
    pub operand: u16,
    /// `@load_to_dsr`.
    pub load: u16,
    /// A change of a DSD value in memory: base address, offset, stride, length.
    pub edit: u16,
    /// The same for a variable that takes the changed value itself: it is loaded, changed and stored.
    pub update: u16,
    /// The counter, test and jump of a loop around DSD operations take no time: the last elements of the operation
    /// before them are still on their way.
    pub hides_loop_overhead: bool,
}

/// The costs of WSE-2. Its records are of DSD operations, which both machines start alike, of one program, whose
/// estimates the same costs bring within 15 %, and of loops around short DSD operations, whose author has seen turns of 0
/// and 1 cycles in a trace of the vendor's simulator.
pub(super) const WSE2: Costs =
    Costs { scalar: SCALAR, tasks: TASKS, vectors: VectorCosts { hides_loop_overhead: true, ..VECTORS } };

/// The costs of WSE-3.
pub(super) const WSE3: Costs = Costs { scalar: SCALAR, tasks: TASKS, vectors: VECTORS };

const SCALAR: ScalarCosts = ScalarCosts {
    // A compiler gives both values one register.
    copy: 0,
    // One instruction.
    arithmetic: 1,
    shift: 1,
    multiply: 1,
    load: 1,
    store: 1,
    index: 1,
    // Fitted to a program that colors graphs, with loops over arrays and many tests.
    jump: 4,
    // Fitted to the data tasks: no more than for 16 bits.
    wide_arithmetic: 1,
    // Not fitted, no record depends on them: sequences of instructions.
    wide_shift: 4,
    wide_multiply: 4,
    wide_divide: 36,
    float: 2,
    float_divide: 20,
    convert: 3,
    // Fitted to two programs that compute softmax.
    math: 70,
    // Records of a public matrix product on hardware, whose iterations have one `@fmach`: 2.3 cycles with one element, 3.6
    // with eight.
    iteration: 0,
    // Fitted to a box stencil, whose tasks divide by variables.
    divide: 12,
    // Fitted to the kernels of a public study (docs/timing.md), whose loops load from arrays.
    wait: 2,
    // From a public analysis of the loop of a matrix product.
    repeat: 3,
    // Fitted to allreduce, whose small functions a compiler expands where they are called.
    call: 0,
    // At least one: with none, a PE that runs ahead of the clock ends a task a cycle earlier than in the plain engine.
    leave: 1,
    // One instruction; the data tasks read the counter three times each.
    register: 1,
};

const TASKS: TaskCosts = TaskCosts {
    // Fitted to allreduce and to the stencils, whose tasks start each other.
    start: 1,
    // Fitted to the data tasks.
    data_start: 3,
    // Five public programs that the host times with launches; each asks for another number, from 0 to 270.
    command: 100,
    // One instruction.
    state: 1,
};

const VECTORS: VectorCosts = VectorCosts {
    // A second wavelet leaves 6 cycles after the first; on WSE-2, a third vector adds 2 cycles and a scalar 1.
    dsd: 2,
    // Fitted to a matrix product whose tasks move a vector on for each wavelet.
    variable: 4,
    operand: 1,
    // Fitted to allreduce.
    load: 2,
    edit: 2,
    // What the copies took with which it was fitted.
    update: 6,
    // The star and box stencils ask for the full cost.
    hides_loop_overhead: false,
};
