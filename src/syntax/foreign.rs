//! Words of other languages, and what CSL has in their place.

/// Words of CSL that begin a declaration.
pub const DECLARATION_WORDS: [&str; 10] =
    ["var", "const", "param", "fn", "task", "export", "extern", "inline", "layout", "comptime"];

/// Words of CSL that begin a statement.
pub const STATEMENT_WORDS: [&str; 12] = [
    "var", "const", "if", "else", "for", "while", "switch", "return", "break", "continue", "comptime",
    "inline",
];

/// Words of CSL that are values, or statements by themselves.
pub const VALUE_WORDS: [&str; 7] =
    ["true", "false", "undefined", "unreachable", "break", "continue", "return"];

/// The type of CSL that a name for a type in another language, or in capitals, stands for.
pub fn type_of_csl(word: &str) -> Option<&'static str> {
    Some(match word {
        "int" | "short" | "isize" | "int16" | "int16_t" | "Int" | "integer" | "ptrdiff_t" => "i16",
        "long" | "int32" | "int32_t" => "i32",
        "int8" | "int8_t" => "i8",
        "int64" | "int64_t" => "i64",
        "unsigned" | "uint" | "usize" | "size_t" | "ushort" | "uint16" | "uint16_t" | "word" => "u16",
        "ulong" | "uint32" | "uint32_t" => "u32",
        "char" | "byte" | "uchar" | "uint8" | "uint8_t" => "u8",
        "uint64" | "uint64_t" => "u64",
        "float" | "double" | "f64" | "fp32" | "float32" | "float64" | "float32_t" | "float64_t" | "Float"
        | "Double" | "real" => "f32",
        "half" | "fp16" | "float16" | "float16_t" | "__fp16" | "__half" => "f16",
        "bfloat16" => "bf16",
        "boolean" | "Boolean" | "Bool" | "_Bool" => "bool",
        "str" | "string" | "String" => "comptime_string",
        _ => return own_types().find(|own| own.eq_ignore_ascii_case(word) && *own != word),
    })
}

fn own_types() -> impl Iterator<Item = &'static str> {
    ["bool", "f16", "f32", "bf16", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "void", "color"]
        .into_iter()
}

/// Whether a word is a type of CSL.
pub fn is_type(word: &str) -> bool {
    let digits = word.strip_prefix(['i', 'u']).unwrap_or("");
    let is_integer = !digits.is_empty() && digits.len() < 4 && digits.bytes().all(|b| b.is_ascii_digit());
    is_integer || own_types().any(|own| own == word) || word.starts_with("comptime_") || word == "type"
}

/// A type of CSL, or the one that a word of another language stands for.
pub fn meant_type(word: &str) -> Option<&str> {
    if is_type(word) { Some(word) } else { type_of_csl(word) }
}

/// What to write instead of a name that other languages have and CSL has not, in an expression.
pub fn value_of_csl(word: &str) -> Option<&'static str> {
    Some(match word {
        "null" | "NULL" | "nullptr" | "None" | "nil" => {
            "there is no null: begin with `undefined`, and keep a `bool` that says whether it is set"
        }
        "default" | "otherwise" => "write the last case of a `switch` as `else => ..`",
        "self" | "this" => "pass a pointer to the struct as a parameter",
        "malloc" | "calloc" | "alloc" | "new" => "declare a global array, such as `var a = @zeros([n]f32);`",
        "sizeof" => {
            "there is no `sizeof`; `@element_count(@type_of(a))` is the number of elements of an array"
        }
        "len" | "length" => "write `@element_count(@type_of(a))` for the number of elements of an array",
        "pass" => "remove it: a block may be empty, `{}`",
        "exit" | "abort" => "write `return` to end a task, or `@assert(false)` to stop the simulation",
        "try" | "catch" | "throw" | "raise" => {
            "there are no exceptions: return a value that says what went wrong"
        }
        "fabs" | "fabsf" => "write `math.abs(x)`, with `const math = @import_module(\"<math>\");`",
        "fmax" | "fmaxf" => "write `math.max(x, y)`, with `const math = @import_module(\"<math>\");`",
        "fmin" | "fminf" => "write `math.min(x, y)`, with `const math = @import_module(\"<math>\");`",
        "sqrtf" => "write `math.sqrt(x)`, with `const math = @import_module(\"<math>\");`",
        "_" => {
            "write `else => ..` for all other cases, the number of elements in `[3]T`, and a call without `_ =`"
        }
        "INFINITY" | "NAN" | "M_PI" | "inf" | "nan" => {
            "see the constants of `<math>`: `const math = @import_module(\"<math>\");`"
        }
        "threadIdx" | "blockIdx" | "blockDim" | "gridDim" | "get_global_id" => {
            "a PE learns where it is from its parameters: `param x: u16;` here, and `.{ .x = x }` in `@set_tile_code`"
        }
        "__syncthreads" | "barrier" => {
            "remove it: a PE runs one task at a time; other PEs are waited for by receiving from them"
        }
        "std" => {
            "there is no standard library of that name: write `const math = @import_module(\"<math>\");`"
        }
        "Array" | "Vec" | "vector" | "List" => "write `[n]T` for an array of n elements",
        "await" | "async" => "write `.async = true` in the settings of a DSD operation",
        _ => return None,
    })
}

/// What to write instead of a word that other languages have in front of a value, a statement or a block.
pub fn word_of_csl(word: &str) -> Option<&'static str> {
    Some(match word {
        "defer" | "errdefer" => {
            "write it where the block ends, and in front of each `return`: nothing runs by itself at the end of a block"
        }
        "yield" => "write `return`: a task ends, and runs again when it is activated",
        "spawn" | "go" | "launch" | "suspend" | "resume" => "write a task, and `@activate` it",
        "lambda" => "write a function at the top level: `fn f(n: i16) i16 { return ..; }`",
        "move" | "ref" | "in" | "out" | "inout" => "remove it: pass `&x` where a pointer `*T` is asked for",
        "typeof" | "decltype" => "write `@type_of(x)`",
        "call" => "remove it: a call is `f(..);`",
        "set" => "remove it: an assignment is `n = ..;`",
        "global" | "nonlocal" => "remove it: functions see all variables of the file",
        "unsafe" | "synchronized" | "atomic" => "remove it: a PE runs one task at a time",
        "with" => "write the name in front of each field: `s.x = ..;`",
        "begin" => "write a block between braces: `{ .. }`",
        "repeat" => "write `for (@range(u16, n)) |i| {`",
        "test" => "write the checks into a task or function, with `@assert(condition)`",
        "namespace" | "module" | "package" | "program" => {
            "remove it: each file is a module, and `@import_module` gives its declarations"
        }
        "usingnamespace" => "give the module a name: `const math = @import_module(\"<math>\");`",
        _ => return None,
    })
}

/// What to write instead of a word that other languages have between two values.
pub fn infix_of_csl(word: &str) -> Option<&'static str> {
    Some(match word {
        "orelse" => "there are no optional values: keep a `bool` that says whether there is one",
        "catch" => "there are no errors as results: return a value that says what went wrong",
        "in" => "compare with each value: `n == 1 or n == 2`, or loop over the list",
        "instanceof" | "isa" => "write `@is_same_type(@type_of(x), T)`",
        "then" => "remove it",
        "unless" | "when" => "write `if (..)` in front",
        _ => return None,
    })
}

/// The way to print.
pub const PRINTING: &str = "`const simprint = @import_module(\"<simprint>\");`, and then \
                            `simprint.fmt(\"n is {d}\", .{ n });`";

/// Whether a word prints in another language.
pub fn prints(word: &str) -> bool {
    matches!(
        word,
        "print" | "printf" | "println" | "puts" | "echo" | "cout" | "console" | "log" | "debug_print"
    )
}
