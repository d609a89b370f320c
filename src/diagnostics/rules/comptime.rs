//! Rules of the module `sema`: names, types, comptime.

crate::rules! {
    /// A call has too few or too many arguments.
    /// A call gives each parameter exactly one argument.
    ARGUMENT_COUNT = "argument-count": "{name} takes {want}, not {have}"
        => "give each parameter one argument";
    /// An array literal has more or fewer values than elements.
    /// The size of an array is part of its type.
    ARRAY_LITERAL_LENGTH = "array-literal-length": "this array has {want} elements, but the list has {have}"
        => "make the size [{have}], or give {want} elements";
    /// An array has arrays as elements.
    /// CSL has arrays of several dimensions instead of arrays of arrays.
    ARRAY_OF_ARRAYS = "array-of-arrays": "the elements of an array cannot be arrays";
    /// An array size is negative or not an integer.
    /// Sizes of arrays are whole numbers, known at comptime, and not negative.
    ARRAY_SIZE = "array-size": "{size} is not a valid array size"
        => "write a whole number from 0 up";
    /// An array is larger than any memory.
    /// A PE has 48 KiB of memory; comptime has limits, too.
    ARRAY_TOO_LARGE = "array-too-large": "an array of {count} elements is larger than any memory"
        => "a PE has 48 KiB of memory: make it smaller, or spread it over several PEs";
    /// An alignment is not a power of two.
    /// Alignments are powers of two, in bytes.
    BAD_ALIGNMENT = "bad-alignment": "{value} is not a valid alignment"
        => "write a power of two, such as `align(16)`";
    /// `@bitcast` has types of different widths.
    /// `@bitcast` needs two types of the same width.
    BAD_BITCAST = "bad-bitcast": "the bits of {from} cannot be read as {to}"
        => "use a type with as many bits as {from}";
    /// `@as` cannot convert this type to that one.
    /// `@as` converts numbers, bools and enums.
    BAD_CAST = "bad-cast": "{from} cannot be converted to {to}"
        => "`@as` takes numbers, bools and enums; `@bitcast` reads the bits of a number as another type";
    /// A JSON file cannot be read as a CSL value.
    /// `@import_comptime_value` reads JSON.
    BAD_JSON = "bad-json": "`{file}` does not hold a CSL value: {why}"
        => "fix the file, or make it match the type";
    /// An operator is applied to a type that it does not take.
    /// Each operator takes certain types only.
    BAD_OPERAND = "bad-operand": "`{op}` cannot be applied to {type}"
        => "convert it with `@as` to a type that `{op}` takes";
    /// An operator is applied to two types that it does not take.
    /// Both sides of an operator need a common type that the operator takes.
    BAD_OPERANDS = "bad-operands": "`{op}` cannot be applied to {left} and {right}"
        => "convert them with `@as` to one type that `{op}` takes";
    /// A shift amount is negative, too large or not an integer.
    /// The amount of a shift is unsigned and smaller than the width of what is shifted.
    BAD_SHIFT = "bad-shift": "cannot shift by {amount}";
    /// `@zeros` is given a type other than an array of numbers.
    /// Only numbers have a zero.
    BAD_ZEROS = "bad-zeros": "`@zeros` makes arrays of numbers, not of {type}";
    /// The condition of a `@comptime_assert` is false.
    /// `@comptime_assert` rejects the program when its condition does not hold.
    COMPTIME_ASSERT = "comptime-assert": "comptime assertion failed: {text}";
    /// Comptime evaluation takes too many steps.
    /// A comptime loop that never ends would keep the compiler busy forever.
    COMPTIME_FUEL = "comptime-fuel": "comptime evaluation did not end within {steps} steps";
    /// A value that exists only at comptime is used at run time.
    /// Values of such types do not exist at run time.
    COMPTIME_ONLY = "comptime-only": "{type} exists only at comptime";
    /// The output of `@comptime_print`.
    /// `@comptime_print` prints this text during compilation.
    @Note COMPTIME_PRINT = "comptime-print": "{text}";
    /// A comptime variable is assigned under a run-time condition.
    /// Comptime variables change while code is compiled, not while it runs.
    COMPTIME_VAR_BRANCH = "comptime-var-branch": "a comptime variable is assigned under a condition that is known only at run time";
    /// A constant is assigned to.
    /// Only `var`s, and what pointers without `const` point to, can be assigned.
    CONST_ASSIGNMENT = "const-assignment": "cannot assign to a constant";
    /// The value of a global depends on itself.
    /// Globals may use each other in any order, but not in a cycle.
    DEPENDENCY_CYCLE = "dependency-cycle": "this value depends on itself"
        => "give one of them a value that does not depend on the others";
    /// `.*` is applied to a pointer to many elements.
    /// A pointer to many elements needs an index.
    DEREF_MANY = "deref-many": "`.*` does not work on {type}";
    /// A comptime expression divides by zero.
    /// The value would be undefined.
    DIVISION_BY_ZERO = "comptime-division-by-zero": "division by zero"
        => "check the divisor first: `if (d != 0)`";
    /// A `switch` lists a value twice.
    /// Each value may have one case only.
    DUPLICATE_CASE = "duplicate-case": "{value} is listed twice"
        => "remove one of them";
    /// Two declarations in one scope have the same name.
    /// A name may occur once in a scope, struct or configuration.
    DUPLICATE_NAME = "duplicate-name": "`{name}` is declared twice"
        => "give one of them another name";
    /// Two declarations export the same symbol.
    /// Exported names belong to all files of a tile: other files, and the host, find what they name by them.
    DUPLICATE_SYMBOL = "duplicate-symbol": "the symbol `{name}` has two definitions"
        => "remove one `export`, or give one of them another symbol with `linkname`";
    /// An `extern` declaration differs from the definition.
    /// All declarations of a symbol must agree.
    EXTERN_MISMATCH = "extern-mismatch": "the declaration of `{name}` does not match its definition"
        => "make it match the definition";
    /// An `extern` variable has an initial value.
    /// The file that defines a variable gives its value.
    EXTERN_VALUE = "extern-value": "the extern variable `{name}` cannot have a value";
    /// An imported file does not exist.
    /// cslrun looks for imports in the folder of the importing file, in the folder of the root file, and in
    /// import paths.
    FILE_NOT_FOUND = "file-not-found": "there is no file `{file}`"
        => "write the path as seen from the importing file, or name its folder with `--import-path`";
    /// The local variables of a function do not fit into memory.
    /// Arrays and structs of a function live in the 48 KiB of the PE.
    FRAME_TOO_LARGE = "frame-too-large": "local variables of {words} words do not fit into memory"
        => "a PE has 24,576 words for everything: make them smaller";
    /// A function expands to too much code.
    /// A function that unrolls loops or expands calls without end never fits on a PE.
    FUNCTION_TOO_LARGE = "function-too-large": "`{name}` is too large";
    /// Comptime code assigns to a global.
    /// Initial values of globals are fixed before anything runs.
    GLOBAL_STORE = "global-store": "a global cannot be changed at comptime"
        => "compute in a local variable, and return the result";
    /// Files import each other in a cycle.
    /// Each import is a copy, so a cycle would never end.
    IMPORT_CYCLE = "import-cycle": "files import each other in a cycle: {chain}"
        => "move what both need into a third file";
    /// Code reads a variant of a union that is not active.
    /// A plain union holds one variant at a time.
    INACTIVE_VARIANT = "inactive-variant": "`{name}` is not the active variant of this union; `{active}` is"
        => "use `.{active}`, or assign the whole union";
    /// An array is indexed with the wrong number of indices.
    /// An array takes one index for each dimension.
    INDEX_COUNT = "index-count": "{have} for an array of {want}"
        => "write one index for each dimension, such as `[i, j]` for two";
    /// A constant index is outside of its array.
    /// Elements are counted from 0.
    INDEX_RANGE = "index-range": "index {index} is outside of an array of {len}"
        => "indices count from 0, so the last one is the length minus 1";
    /// A comptime value does not fit into its type.
    /// At comptime a result outside of its type is an error; it does not wrap around.
    INTEGER_OVERFLOW = "comptime-overflow": "{what} does not fit into {type}"
        => "use a wider type, or a number that fits";
    /// `return`, `break` or `continue` jumps from comptime code to run-time code.
    /// Comptime code has already run when the program starts.
    LEAVES_EXPRESSION = "leaves-comptime": "`return`, `break` or `continue` would leave comptime code for run-time code"
        => "remove `comptime` or `inline`, or decide it at comptime";
    /// Nothing starts the function `main`.
    /// A PE runs tasks that are bound to ids, and functions that the host launches; no name is special.
    @Warning(unused) MAIN_NOT_STARTED = "main-not-started": "nothing starts `main`";
    /// A function of `<math>` that the documents offer at run time is called at comptime.
    /// cslrun computes it at comptime, too; the vendor's library may not.
    @Warning MATH_AT_COMPTIME = "math-at-comptime": "the documents offer `{name}` only to code that runs, and this is comptime"
        => "compute it in a function or task, or on the host for a `param`";
    /// A struct value lacks a field.
    /// A struct value must give every field.
    MISSING_FIELD = "missing-field": "the field `{name}` is missing"
        => "write `.{name} = ..`";
    /// A variable or constant lacks an initial value.
    /// Constants, and variables without a type, need one.
    MISSING_INITIALIZER = "missing-initializer": "`{name}` needs an initial value"
        => "write `{name} = ..`; a `var` may begin as `undefined`";
    /// A `param` has no value.
    /// Whoever uses the file must give a value to a `param` without a default.
    MISSING_PARAM = "missing-param": "the parameter `{name}` has no value";
    /// A function can end without returning a value.
    /// A function with a return type must return a value on every path.
    MISSING_RETURN = "missing-return": "`{name}` can end without `return`"
        => "return a value on every path";
    /// A global without a value is read, and nothing gives it one.
    /// A global variable has no value until something assigns it.
    @Warning NEVER_ASSIGNED = "never-assigned": "`{name}` is read, but nothing gives it a value"
        => "assign it before it is read, or write its value where it is declared";
    /// `&` is applied to something that has no address.
    /// Only variables, their elements and their fields are in memory.
    NOT_ADDRESSABLE = "not-addressable": "this has no address";
    /// The left side of an assignment is not a variable.
    /// The left side of an assignment must be a variable, an element or a field.
    NOT_ASSIGNABLE = "not-assignable": "this cannot be assigned to"
        => "assign to a variable, an element or a field";
    /// `.*` is applied to something that is not a pointer.
    /// `.*` needs a pointer.
    NOT_A_POINTER = "not-a-pointer": "{type} is not a pointer"
        => "remove `.*`";
    /// Fields are given for a type that has none.
    /// Only structs and unions have fields.
    NOT_A_STRUCT = "not-a-struct": "{type} is not a struct"
        => "remove the fields, or use a struct";
    /// A value is used where a type is expected.
    /// Types are values of the type `type`.
    NOT_A_TYPE = "not-a-type": "expected a type, found {have}"
        => "write a type such as `u16`, or a `const` that holds one";
    /// Something that is not a function is called.
    /// Only functions and pointers to functions can be called.
    NOT_CALLABLE = "not-callable": "{type} cannot be called"
        => "remove the parentheses, or call a function";
    /// A value must be known at comptime and is not.
    /// Sizes, types, ids and most settings are fixed before the program runs.
    NOT_COMPTIME = "not-comptime": "{what} is not known at comptime";
    /// Something without elements is indexed.
    /// Arrays, tuples and pointers to many elements have elements.
    NOT_INDEXABLE = "not-indexable": "{type} cannot be indexed"
        => "remove the index: arrays, tuples and pointers to many, `[*]T`, have elements";
    /// A `for` loop runs over something that is not an array or range.
    /// `for` runs over arrays and ranges.
    NOT_ITERABLE = "not-iterable": "cannot loop over {type}"
        => "loop over an array, or count: `for (@range(u16, n)) |i| { .. }`";
    /// A source file is not valid UTF-8.
    /// CSL files must be UTF-8.
    NOT_UTF8 = "not-utf8": "`{file}` is not valid UTF-8 at byte {offset}"
        => "save the file as UTF-8";
    /// Two values that must have one type have no common type.
    /// Operands, and the branches of `if` and `switch`, are converted to one common type.
    NO_COMMON_TYPE = "no-common-type": "{left} and {right} have no common type"
        => "convert one of them: `@as({left}, ..)`";
    /// A comptime integer is too large.
    /// Comptime integers have a limit of about a million bits.
    NUMBER_TOO_LARGE = "number-too-large": "this number is too large to compute"
        => "compute with smaller numbers";
    /// One operand changes a variable that another operand reads.
    /// The order in which operands are evaluated is undefined.
    @Warning(undefined) OPERAND_ORDER = "operand-order": "one operand changes `{name}`, and the other one uses it";
    /// `break` or `continue` is used outside of a loop.
    /// They apply to the innermost loop.
    OUTSIDE_LOOP = "outside-loop": "`break` and `continue` without a label need a loop"
        => "remove it, or use `return` to leave the function";
    /// A field of a packed struct has no fixed width.
    /// Fields of a packed struct are numbers, bools, enums, pointers and packed structs.
    PACKED_FIELD = "packed-field": "{type} has no fixed width in bits"
        => "use numbers, bools, enums and packed structs";
    /// The program does not fit into the memory of a PE.
    /// Code is not counted; globals and FIFOs are.
    PROGRAM_TOO_LARGE = "program-too-large": "the program needs {used} bytes of memory, but a PE has {limit}"
        => "make an array smaller, or spread it over more PEs";
    /// The step of a range is zero.
    /// The range would never end.
    RANGE_STEP = "range-step": "the step of a range is zero"
        => "use a step of at least 1, up or down";
    /// `return` is used outside of a function.
    /// Only functions and tasks return.
    RETURN_OUTSIDE = "return-outside": "`return` outside of a function"
        => "remove it: the block ends by itself";
    /// `return` lacks the value that its function returns.
    /// `return` needs a value of that type.
    RETURN_VALUE = "return-value": "`return` without a value in a function that returns {type}"
        => "write `return ..;` with a value of this type";
    /// A setting has a value of another type than it takes.
    /// A setting takes values of one type; nothing is converted for it.
    SETTING_TYPE = "setting-type": "`.{name}` needs {want}, but this is {value}";
    /// A constant, variable or parameter is named like a type of integers.
    /// The vendor's compiler refuses such a declaration, also of a local: `i0` is the integer type without bits.
    @Warning SHADOWS_TYPE = "shadows-type": "`{name}` is the name of a type"
        => "give it another name, such as `my_{name}`";
    /// Code relies on the undefined layout of a plain struct or union.
    /// The compiler may put the fields of a plain struct or union anywhere.
    @Deny(undefined) STRUCT_LAYOUT = "struct-layout": "the layout of {type} is not defined";
    /// A `switch` does not handle every value.
    /// Every value needs a case.
    SWITCH_NOT_EXHAUSTIVE = "switch-not-exhaustive": "the switch does not handle {missing}";
    /// `switch` is applied to a type other than an integer or enum.
    /// `switch` takes integers and enums.
    SWITCH_TYPE = "switch-type": "cannot switch over {type}"
        => "compare with `if` and `else if`";
    /// A task is called like a function.
    /// Tasks are started by the hardware. SDK releases before 1.4 accepted such calls.
    @Deny(style) TASK_CALL = "task-call": "the task `{name}` cannot be called";
    /// A task is declared, and nothing binds it to an id.
    /// Only a task that is bound to an id can run.
    @Warning(unused) TASK_WITHOUT_ID = "task-without-id": "nothing binds the task `{name}` to an id";
    /// Code is nested, or comptime calls recurse, too deeply.
    /// Expressions, statements and comptime calls together have a limit.
    TOO_DEEP = "too-deep": "nested too deeply";
    /// A program has too many functions.
    /// A generic function gets code for each set of comptime arguments; all of it must fit on a PE.
    TOO_MANY_FUNCTIONS = "too-many-functions": "the program has more than {limit} functions";
    /// An inline loop has too many iterations.
    /// Each iteration is expanded into code of its own.
    TOO_MANY_INLINED = "too-many-inlined": "an inline loop has more than {limit} iterations";
    /// A value has another type than expected.
    /// Values are converted implicitly only if nothing can be lost.
    TYPE_MISMATCH = "type-mismatch": "expected {want}, found {have}";
    /// Comptime code uses a value that was never set.
    /// A value that was never set cannot be computed with.
    UNDEFINED_VALUE = "undefined-value": "this value is undefined"
        => "give it a value before it is used";
    /// A union value has no field or several.
    /// A union holds one variant at a time.
    UNION_ONE_FIELD = "union-one-field": "a value of {type} has exactly one field"
        => "give one field";
    /// The machine does not exist.
    /// The machines are wse2 and wse3.
    UNKNOWN_ARCH = "unknown-arch": "there is no machine called `{name}`";
    /// The builtin does not exist.
    /// Names with `@` belong to the language.
    UNKNOWN_BUILTIN = "unknown-builtin": "there is no builtin `@{name}`"
        => "write a function of that name, and call it without `@`";
    /// The type has no such field.
    /// Fields are named in the type.
    UNKNOWN_FIELD = "unknown-field": "{type} has no field `{name}`"
        => "remove it";
    /// `break` or `continue` names a label that does not exist.
    /// A label must stand before a loop or block that encloses the statement.
    UNKNOWN_LABEL = "unknown-label": "there is no label `{name}` here"
        => "write `{name}:` in front of a loop or block around it";
    /// The library module does not exist.
    /// Names in angle brackets belong to the library.
    UNKNOWN_LIBRARY = "unknown-library": "there is no library module `{name}`";
    /// A module has no such member.
    /// A module has the names that its file declares.
    UNKNOWN_MEMBER = "unknown-member": "`{module}` declares no `{name}`"
        => "declare it there";
    /// A name is used without a declaration.
    /// Names are declared in the file or in an enclosing block, or are part of the language.
    UNKNOWN_NAME = "unknown-name": "`{name}` is not declared"
        => "declare it, or write the module in front of it: `module.{name}`";
    /// A file is given a parameter that it does not declare.
    /// The value would be ignored.
    @Warning(style) UNKNOWN_PARAM = "unknown-param": "`{file}` has no parameter `{name}`"
        => "remove it, or declare `param {name}` in `{file}`";
    /// A statement computes a value that nothing uses.
    /// The statement has no effect.
    @Warning(unused) UNUSED_VALUE = "unused-value": "the value of this statement is not used";
    /// Comptime code reaches `unreachable`.
    /// The program says that this cannot happen.
    UNREACHABLE_REACHED = "comptime-unreachable": "reached `unreachable` at comptime"
        => "handle the case that leads here";
    /// A file cannot be read.
    /// The operating system refused to read it.
    UNREADABLE_FILE = "unreadable-file": "cannot read `{file}`: {why}"
        => "give a file that can be read";
    /// The program contains inline assembly.
    /// cslrun runs CSL, not machine code.
    @Unsupported UNSUPPORTED_ASM = "unsupported-asm": "inline assembly is not supported"
        => "write it in CSL, or remove it";
    /// The program uses an `extern` symbol that cslrun cannot link.
    /// cslrun compiles whole programs and does not link.
    @Unsupported UNSUPPORTED_EXTERN = "unsupported-extern": "the extern symbol `{name}` is not supported"
        => "export it from a file of the program that this tile imports";
    /// The SDK has this library module, but cslrun does not.
    /// The SDK has this library module; cslrun does not have it yet.
    @Unsupported UNSUPPORTED_LIBRARY = "unsupported-library": "the library module `{name}` is not supported yet"
        => "remove it, or import your own file instead";
    /// The SDK's library module has this function, but cslrun's does not.
    /// cslrun offers only what the SDK's documents describe.
    @Unsupported UNSUPPORTED_MEMBER = "unsupported-member": "`{name}` of `{module}` is not supported"
        => "do without it";
    /// A string or struct grows beyond any use.
    /// cslrun stops strings and structs that grow without end before they fill memory.
    VALUE_TOO_LARGE = "value-too-large": "this {what} is larger than any program needs"
        => "end the loop or recursion that builds it";
    /// A value of more than 64 bits would exist at run time.
    /// CSL has integers and packed structs of any width; at run time cslrun computes with up to 64 bits.
    @Unsupported UNSUPPORTED_WIDTH = "unsupported-width": "{type} has {bits} bits: more than 64 are not supported at run time"
        => "keep it in an array of words of up to 64 bits, or compute with it at comptime";
    /// Something that nothing uses has an error.
    /// cslrun compiles only what a program uses, so the error appears as soon as something uses it.
    @Warning(unused) UNUSED_CODE = "unused-code": "`{name}` is not used, and wrong: {title}"
        => "correct it, or remove `{name}`";
    /// A builtin is used in the wrong phase.
    /// Each builtin belongs to a phase: layout, comptime blocks, or code.
    WRONG_PHASE = "wrong-phase": "`{name}` is only allowed {where}"
        => "move the call: it belongs {where}";
}

/// An error that has already been reported: never shown again.
pub static REPORTED: crate::diagnostics::Rule = crate::diagnostics::Rule {
    name: "",
    severity: crate::diagnostics::Severity::Error,
    lint: None,
    title: "",
    help: None,
    meaning: "",
    why: "",
};
