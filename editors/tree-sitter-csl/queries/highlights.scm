; A node that several patterns name has the color of the last one.

(identifier) @variable
(field_identifier) @property

; ---- Names by their form

((identifier) @constant
  (#match? @constant "^[A-Z][A-Z0-9_]+$"))

((identifier) @constant.builtin
  (#any-of? @constant.builtin "NORTH" "SOUTH" "EAST" "WEST" "RAMP"))

((identifier) @type.builtin
  (#any-of? @type.builtin
    "bool" "f16" "f32" "i8" "i16" "i32" "i64" "u8" "u16" "u32" "u64" "void" "comptime_int" "comptime_float"
    "comptime_string" "comptime_struct" "type" "direction" "color" "data_task_id" "local_task_id"
    "control_task_id" "input_queue" "output_queue" "ut_id" "dsr_dest" "dsr_src0" "dsr_src1" "dsr_fifo_dest"
    "dsr_fifo_src1" "xdsr" "sr" "mem1d_dsd" "mem4d_dsd" "circbuf_dsd" "fabin_dsd" "fabout_dsd" "bf16" "cb16"
    "anyopaque" "noreturn"))

; ---- Names by their place

(call_expression function: (identifier) @function.call)
(call_expression function: (field_expression name: (field_identifier) @function.call))

(function_declaration name: (identifier) @function)
(task_declaration name: (identifier) @function)

(parameter name: (identifier) @variable.parameter)
(param_declaration name: (identifier) @variable.parameter)

(label (identifier) @label)
(break_statement label: (identifier) @label)
(continue_statement label: (identifier) @label)

(enum_member name: (field_identifier) @constant)

(builtin_identifier) @function.builtin

; ---- Words

[
  "align"
  "asm"
  "comptime"
  "const"
  "enum"
  "export"
  "extern"
  "inline"
  "layout"
  "linkname"
  "linksection"
  "noinline"
  "packed"
  "param"
  "struct"
  "union"
  "var"
  "volatile"
] @keyword

["fn" "task"] @keyword.function
["break" "continue" "return"] @keyword.return
["if" "else" "switch"] @keyword.conditional
["for" "while"] @keyword.repeat
["and" "or"] @keyword.operator

(anytype) @type.builtin
(boolean) @constant.builtin
(undefined) @constant.builtin
(unreachable) @constant.builtin

; ---- Literals and comments

(integer) @number
(float) @number.float
(string) @string
(character) @character
(escape_sequence) @string.escape
(comment) @comment

; ---- Signs

[
  "+" "-" "*" "/" "%" "<<" ">>" "&" "^" "|" "~" "!"
  "==" "!=" "<" ">" "<=" ">="
  "=" "+=" "-=" "*=" "/=" "%=" "<<=" ">>=" "&=" "|=" "^="
  "->" "=>" ".*"
] @operator

["(" ")" "[" "]" "{" "}" ".{"] @punctuation.bracket
["," ";" ":" "."] @punctuation.delimiter
