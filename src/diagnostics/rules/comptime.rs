//! Rules of the room `sema`: names, types, comptime.

crate::rules! {
    /// A call gives each parameter exactly one argument.
    ARGUMENT_COUNT = "argument-count": "{name} takes {want}, not {have}"
        => "give each parameter one argument";
    /// The size of an array is part of its type.
    ARRAY_LITERAL_LENGTH = "array-literal-length": "this array has {want} elements, but {have} are given"
        => "make the size [{have}], or give {want} elements";
    /// CSL has arrays of several dimensions instead of arrays of arrays.
    ARRAY_OF_ARRAYS = "array-of-arrays": "the elements of an array cannot be arrays";
    /// Sizes of arrays are whole numbers, known at comptime, and not negative.
    ARRAY_SIZE = "array-size": "{size} is no size for an array"
        => "write a whole number from 0 up";
    /// A PE has 48 KiB of memory; comptime has limits, too.
    ARRAY_TOO_LARGE = "array-too-large": "an array of {count} elements is larger than any memory"
        => "a PE has 48 KiB of memory: make it smaller, or spread it over several PEs";
    /// Alignments are powers of two, in bytes.
    BAD_ALIGNMENT = "bad-alignment": "{value} is no alignment"
        => "write a power of two, such as `align(16)`";
    /// `@bitcast` needs two types of the same width.
    BAD_BITCAST = "bad-bitcast": "the bits of {from} cannot be read as {to}"
        => "name a type that has as many bits as {from}";
    /// `@as` converts numbers, bools and enums.
    BAD_CAST = "bad-cast": "{from} cannot be converted to {to}"
        => "`@as` takes numbers, bools and enums; `@bitcast` reads the bits of a number as another type";
    /// `@import_comptime_value` reads JSON.
    BAD_JSON = "bad-json": "`{file}` has no value for CSL: {why}"
        => "repair the file, or give it the form of the type";
    /// Each operator takes certain types only.
    BAD_OPERAND = "bad-operand": "`{op}` cannot be applied to {type}"
        => "convert it with `@as` to a type that `{op}` takes";
    /// Both sides of an operator need a common type that the operator takes.
    BAD_OPERANDS = "bad-operands": "`{op}` cannot be applied to {left} and {right}"
        => "convert them with `@as` to one type that `{op}` takes";
    /// The amount of a shift is unsigned and smaller than the width of what is shifted.
    BAD_SHIFT = "bad-shift": "cannot shift by {amount}";
    /// Only numbers have a zero.
    BAD_ZEROS = "bad-zeros": "`@zeros` makes arrays of numbers, not of {type}";
    /// `@comptime_assert` rejects the program when its condition does not hold.
    COMPTIME_ASSERT = "comptime-assert": "comptime assertion failed: {text}";
    /// A comptime loop that never ends would keep the compiler busy for ever.
    COMPTIME_FUEL = "comptime-fuel": "comptime evaluation did not end within {steps} steps";
    /// Values of such types have no form at run time.
    COMPTIME_ONLY = "comptime-only": "{type} exists only at comptime";
    /// What `@comptime_print` says.
    @Note COMPTIME_PRINT = "comptime-print": "{text}";
    /// Comptime variables change while code is written, not while it runs.
    COMPTIME_VAR_BRANCH = "comptime-var-branch": "a comptime variable is assigned under a condition that is only known at run time";
    /// Only `var`s, and what pointers without `const` point to, can be assigned.
    CONST_ASSIGNMENT = "const-assignment": "cannot assign to a constant";
    /// Globals may use each other in any order, but not in a circle.
    DEPENDENCY_CYCLE = "dependency-cycle": "this value depends on itself"
        => "give one of them a value that needs none of the others";
    /// A pointer to many elements needs an index.
    DEREF_MANY = "deref-many": "`.*` does not work on {type}";
    /// The value would be undefined.
    DIVISION_BY_ZERO = "comptime-division-by-zero": "division by zero"
        => "look at the divisor first: `if (d != 0)`";
    /// Each case may be named once.
    DUPLICATE_CASE = "duplicate-case": "{value} is listed twice"
        => "remove one of them";
    /// A scope, struct or configuration has each name once.
    DUPLICATE_NAME = "duplicate-name": "`{name}` is declared twice"
        => "give one of them another name";
    /// All declarations of one symbol agree.
    EXTERN_MISMATCH = "extern-mismatch": "`{name}` is declared in another way than where it is defined"
        => "declare it as it is defined";
    /// The file that defines a variable gives its value.
    EXTERN_VALUE = "extern-value": "the extern variable `{name}` cannot have a value";
    /// Imports are looked up beside the importing file, beside the root file, and in import paths.
    FILE_NOT_FOUND = "file-not-found": "there is no file `{file}`"
        => "write the path as seen from the importing file, or name its folder with `--import-path`";
    /// Arrays and structs of a function lie in the 48 KiB of the PE.
    FRAME_TOO_LARGE = "frame-too-large": "local variables of {words} words do not fit into memory"
        => "a PE has 24,576 words for everything: make them smaller";
    /// A function that unrolls loops or expands calls without end never fits on a PE.
    FUNCTION_TOO_LARGE = "function-too-large": "`{name}` is too large";
    /// Initial values of globals are fixed before anything runs.
    GLOBAL_STORE = "global-store": "a global cannot be changed at comptime"
        => "compute in a local variable, and return the result";
    /// Each import is a copy, so a circle would never end.
    IMPORT_CYCLE = "import-cycle": "files import each other in a circle: {chain}"
        => "move what both need into a third file";
    /// A plain union holds one variant at a time.
    INACTIVE_VARIANT = "inactive-variant": "`{name}` is not the active variant of this union"
        => "read the variant that was given last";
    /// One index for each dimension.
    INDEX_COUNT = "index-count": "{have} for an array of {want}"
        => "write one index for each dimension, such as `[i, j]` for two";
    /// Elements are counted from 0.
    INDEX_RANGE = "index-range": "index {index} is outside of an array of {len}"
        => "elements are counted from 0, so the last one is at the length less 1";
    /// At comptime a result outside of its type is a mistake, not a wrap.
    INTEGER_OVERFLOW = "comptime-overflow": "{what} does not fit into {type}"
        => "take a wider type, or a number that fits";
    /// Comptime code has run when the program starts.
    LEAVES_EXPRESSION = "leaves-comptime": "`return`, `break` or `continue` would leave comptime code for run-time code"
        => "leave out `comptime` or `inline`, or decide it at comptime";
    /// A struct value gives every field.
    MISSING_FIELD = "missing-field": "the field `{name}` is missing"
        => "write `.{name} = ..`";
    /// Constants, and variables without a type, need one.
    MISSING_INITIALIZER = "missing-initializer": "`{name}` needs an initial value"
        => "write `{name} = ..`; a `var` may begin as `undefined`";
    /// A `param` without a default is given by whoever uses the file.
    MISSING_PARAM = "missing-param": "the parameter `{name}` has no value";
    /// A function that gives a value does so on every path.
    MISSING_RETURN = "missing-return": "`{name}` can end without `return`"
        => "return a value on every path";
    /// Only variables, their elements and their fields lie in memory.
    NOT_ADDRESSABLE = "not-addressable": "this has no address";
    /// The left side of an assignment is a place.
    NOT_ASSIGNABLE = "not-assignable": "this cannot be assigned to"
        => "assign to a variable, an element or a field";
    /// `.*` needs a pointer.
    NOT_A_POINTER = "not-a-pointer": "{type} is not a pointer"
        => "leave out `.*`";
    /// Fields are given to structs and unions.
    NOT_A_STRUCT = "not-a-struct": "{type} is not a struct"
        => "leave out the fields, or name a struct";
    /// Types are values of the type `type`.
    NOT_A_TYPE = "not-a-type": "expected a type, found {have}"
        => "write a type such as `u16`, or a `const` that holds one";
    /// Only functions and pointers to functions can be called.
    NOT_CALLABLE = "not-callable": "{type} cannot be called"
        => "leave out the parentheses, or name a function";
    /// Sizes, types, ids and most settings are fixed before the program runs.
    NOT_COMPTIME = "not-comptime": "{what} is not known at comptime";
    /// Arrays, tuples and pointers to many elements have elements.
    NOT_INDEXABLE = "not-indexable": "{type} cannot be indexed"
        => "leave out the index: arrays, tuples and pointers to many, `[*]T`, have elements";
    /// `for` runs over arrays and ranges.
    NOT_ITERABLE = "not-iterable": "cannot loop over {type}"
        => "name an array, or count: `for (@range(u16, n)) |i| { .. }`";
    /// CSL files are UTF-8.
    NOT_UTF8 = "not-utf8": "`{file}` is not valid UTF-8 at byte {offset}"
        => "save the file as UTF-8";
    /// The values that meet here become one value.
    NO_COMMON_TYPE = "no-common-type": "{left} and {right} have no common type"
        => "convert one of them: `@as({left}, ..)`";
    /// Comptime integers have a limit of about a million bits.
    NUMBER_TOO_LARGE = "number-too-large": "this number is too large to compute"
        => "compute with smaller numbers";
    /// The order in which operands are computed is undefined.
    @Warning(undefined) OPERAND_ORDER = "operand-order": "one operand changes `{name}`, and the other one uses it";
    /// They leave the nearest loop.
    OUTSIDE_LOOP = "outside-loop": "`break` and `continue` without a label need a loop"
        => "leave it out, or use `return` to leave the function";
    /// Fields of a packed struct are numbers, bools, enums, pointers and packed structs.
    PACKED_FIELD = "packed-field": "{type} has no fixed width in bits"
        => "use numbers, bools, enums and packed structs";
    /// Code is not counted; globals and FIFOs are.
    PROGRAM_TOO_LARGE = "program-too-large": "the program needs {used} bytes of memory, a PE has {limit}"
        => "make an array smaller, or spread it over more PEs";
    /// The range would never end.
    RANGE_STEP = "range-step": "the step of a range is zero"
        => "step by at least 1 up or down";
    /// Only functions and tasks return.
    RETURN_OUTSIDE = "return-outside": "`return` outside of a function"
        => "leave it out: the block ends by itself";
    /// `return` needs a value of that type.
    RETURN_VALUE = "return-value": "`return` without a value in a function that gives back {type}"
        => "write `return ..;` with a value of this type";
    /// The compiler may put the fields of a plain struct or union anywhere.
    @Deny(undefined) STRUCT_LAYOUT = "struct-layout": "the layout of {type} is not defined";
    /// Every value needs a case.
    SWITCH_NOT_EXHAUSTIVE = "switch-not-exhaustive": "the switch does not handle {missing}";
    /// `switch` takes integers and enums.
    SWITCH_TYPE = "switch-type": "cannot switch over {type}"
        => "compare with `if` and `else if`";
    /// Tasks are started by the hardware.
    TASK_CALL = "task-call": "the task `{name}` cannot be called";
    /// Expressions, statements and comptime calls together have a limit.
    TOO_DEEP = "too-deep": "nested too deeply";
    /// A generic function gets code for each set of comptime arguments; all of it has to fit on a PE.
    TOO_MANY_FUNCTIONS = "too-many-functions": "the program has more than {limit} functions";
    /// Each iteration is written out as code.
    TOO_MANY_INLINED = "too-many-inlined": "an inline loop has more than {limit} iterations";
    /// Values are converted silently only if nothing can be lost.
    TYPE_MISMATCH = "type-mismatch": "expected {want}, found {have}";
    /// Nothing can be computed from a value that was never given.
    UNDEFINED_VALUE = "undefined-value": "this value is undefined"
        => "give it a value before it is used";
    /// A union holds one variant at a time.
    UNION_ONE_FIELD = "union-one-field": "a value of {type} has exactly one field"
        => "name one field";
    /// The machines are wse2 and wse3.
    UNKNOWN_ARCH = "unknown-arch": "there is no machine called `{name}`";
    /// Names with `@` belong to the language.
    UNKNOWN_BUILTIN = "unknown-builtin": "there is no builtin `@{name}`"
        => "write a function of that name, and call it without `@`";
    /// Fields are named in the type.
    UNKNOWN_FIELD = "unknown-field": "{type} has no field `{name}`"
        => "leave it out";
    /// A label stands before a loop or block around the statement.
    UNKNOWN_LABEL = "unknown-label": "there is no label `{name}` here"
        => "write `{name}:` in front of a loop or block around it";
    /// Names in angle brackets belong to the library.
    UNKNOWN_LIBRARY = "unknown-library": "there is no library module `{name}`";
    /// A module has the names that its file declares.
    UNKNOWN_MEMBER = "unknown-member": "`{module}` declares no `{name}`"
        => "declare it there";
    /// Names are declared in the file, in a block around, or are part of the language.
    UNKNOWN_NAME = "unknown-name": "`{name}` is not declared"
        => "declare it, or write the module in front of it: `module.{name}`";
    /// The value is not used.
    @Warning(style) UNKNOWN_PARAM = "unknown-param": "`{file}` has no parameter `{name}`"
        => "remove it, or declare `param {name}` in `{file}`";
    /// The program says that this cannot happen.
    UNREACHABLE_REACHED = "comptime-unreachable": "reached `unreachable` at comptime"
        => "handle the case that leads here";
    /// The operating system refused.
    UNREADABLE_FILE = "unreadable-file": "cannot read `{file}`: {why}"
        => "name a file that can be read";
    /// cslrun runs CSL, not machine code.
    @Unsupported UNSUPPORTED_ASM = "unsupported-asm": "inline assembly is not supported"
        => "write it in CSL, or leave it out";
    /// cslrun compiles whole programs and does not link.
    @Unsupported UNSUPPORTED_EXTERN = "unsupported-extern": "the extern symbol `{name}` is not supported"
        => "export it from a file of the program that this tile imports";
    /// The SDK has this library module; cslrun does not have it yet.
    @Unsupported UNSUPPORTED_LIBRARY = "unsupported-library": "the library module `{name}` is not supported yet"
        => "leave it out, or import a file of your own in its place";
    /// Strings and structs that grow without end are stopped before they fill the memory.
    VALUE_TOO_LARGE = "value-too-large": "this {what} is larger than any program needs"
        => "end the loop or recursion that builds it";
    /// Each builtin belongs to a phase: layout, comptime blocks, or code.
    WRONG_PHASE = "wrong-phase": "`@{name}` can only stand {where}"
        => "move the call: it belongs {where}";
}

/// What has been complained about already: never shown again.
pub static REPORTED: crate::diagnostics::Rule = crate::diagnostics::Rule {
    name: "",
    severity: crate::diagnostics::Severity::Error,
    lint: None,
    title: "",
    help: None,
    why: "",
};
