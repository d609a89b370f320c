// The grammar of CSL for editors: what `grammar/csl.lalrpop` accepts, with a node for everything that a query may ask for.
//
// As there, the word at the start of a statement decides: `if`, `switch` and `{` begin a statement, never an expression.
// Rules whose name begins with `_statement` or `_type` are the others, less what cannot begin a statement, or less the
// literals `T { .. }` where a block may follow a type; they show up in the tree under the usual name.

/// <reference types="tree-sitter-cli/dsl" />

// From loose to tight, as `src/syntax/builder/chain.rs` has it.
const INFIX = [
  ["or"],
  ["and"],
  ["==", "!=", "<", ">", "<=", ">="],
  ["|"],
  ["^"],
  ["&"],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "%"],
];
const PREFIX = INFIX.length;
const ASSIGN = ["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="];

const list = (item) => seq(item, repeat(seq(",", item)), optional(","));
const maybe = (item) => optional(list(item));

// White space may stand within it.
const opening = () => alias(token(/\.[ \t\r\n]*\{/), ".{");

const any = (words) => (words.length === 1 ? words[0] : choice(...words));

const infix = (left, right) =>
  choice(
    ...INFIX.map((operators, tightness) =>
      prec.left(tightness, seq(field("left", left), field("operator", any(operators)), field("right", right))),
    ),
  );

const prefix = (operand) =>
  prec(PREFIX, seq(field("operator", choice("-", "~", "!", "&")), field("operand", operand)));

const comptime = (operand) => prec(PREFIX, seq("comptime", operand));

const tail = ($) =>
  seq(
    field("name", $.identifier),
    optional(seq(":", field("type", $._expression))),
    repeat($.attribute),
    optional(seq("=", field("value", $._expression))),
    ";",
  );

const signature = ($) =>
  seq(
    field("name", $.identifier),
    field("parameters", $.parameters),
    repeat($.attribute),
    field("result", $._type),
    repeat($.attribute),
    choice(field("body", $.block), ";"),
  );

const suffixes = ($, base) => ({
  field: seq(field("base", base), ".", field("name", alias($.identifier, $.field_identifier))),
  deref: seq(field("base", base), ".*"),
  index: seq(field("base", base), "[", list(field("index", $._expression)), "]"),
  call: seq(field("function", base), field("arguments", $.arguments)),
});

module.exports = grammar({
  name: "csl",

  word: ($) => $.identifier,

  extras: ($) => [/[ \t\r\n\f\uFEFF]/, $.comment],

  inline: ($) => [$._simple, $._jump],

  rules: {
    source_file: ($) => repeat(choice($._declaration, ";")),

    // ---- Declarations

    _declaration: ($) =>
      choice(
        $.variable_declaration,
        $.constant_declaration,
        $.param_declaration,
        $.function_declaration,
        $.task_declaration,
        $.layout_block,
        $.comptime_block,
      ),

    _linkage: () => choice("export", "extern"),

    variable_declaration: ($) => seq(optional($._linkage), "var", tail($)),
    constant_declaration: ($) => seq(optional($._linkage), "const", tail($)),
    param_declaration: ($) => seq(optional($._linkage), "param", tail($)),
    function_declaration: ($) => seq(optional($._fn_modifier), "fn", signature($)),
    _fn_modifier: ($) => choice($._linkage, "inline", seq(optional($._linkage), "noinline")),
    task_declaration: ($) => seq(optional(choice($._linkage, "inline")), "task", signature($)),
    layout_block: ($) => seq("layout", field("body", $.block)),
    comptime_block: ($) => seq("comptime", field("body", $._any_block)),

    attribute: ($) => seq(choice("align", "linkname", "linksection"), "(", $._expression, ")"),

    parameters: ($) => seq("(", maybe($.parameter), ")"),

    parameter: ($) =>
      seq(
        optional("comptime"),
        choice(seq(field("name", $.identifier), ":", field("type", $._expression)), field("type", $._type)),
      ),

    // ---- Statements

    block: ($) => seq("{", repeat($._statement), "}"),

    labeled_block: ($) => seq(field("label", $.label), field("body", $.block)),

    _any_block: ($) => choice($.block, $.labeled_block),

    label: ($) => seq($.identifier, ":"),

    _statement: ($) =>
      choice(
        $.block,
        $.labeled_block,
        $.comptime_block,
        $.comptime_statement,
        $.if_statement,
        $.for_statement,
        $.while_statement,
        $.switch_expression,
        $.expression_statement,
        alias($._local_variable, $.variable_declaration),
        alias($._local_constant, $.constant_declaration),
        seq($._jump, ";"),
        seq($.assignment, ";"),
        ";",
      ),

    _local_variable: ($) => seq(optional("comptime"), "var", tail($)),
    _local_constant: ($) => seq(optional("comptime"), "const", tail($)),

    expression_statement: ($) => seq($._statement_expression, ";"),

    comptime_statement: ($) =>
      seq("comptime", choice($.if_statement, $.for_statement, $.while_statement, $.switch_expression)),

    if_statement: ($) => {
      const head = seq("if", "(", field("condition", $._expression), ")");
      // Before an `else` a statement may leave out its `;`.
      const short = field("consequence", $._simple);
      return prec.right(
        choice(
          seq(head, field("consequence", $._statement)),
          seq(head, choice(field("consequence", $._statement), short), "else", field("alternative", $._statement)),
        ),
      );
    },

    for_statement: ($) => seq($._for_head, field("body", $._statement)),
    while_statement: ($) => seq($._while_head, field("body", $._statement)),

    _for_head: ($) =>
      seq(
        optional($.label),
        optional("inline"),
        "for",
        "(",
        field("iterable", $._expression),
        ")",
        "|",
        field("item", $.identifier),
        optional(seq(",", field("index", $.identifier))),
        "|",
      ),

    _while_head: ($) =>
      seq(
        optional($.label),
        optional("inline"),
        "while",
        "(",
        field("condition", $._expression),
        ")",
        optional(seq(":", "(", field("step", $._simple), ")")),
      ),

    _simple: ($) => choice($.assignment, $._jump, $._statement_expression),

    assignment: ($) =>
      seq(field("left", $._suffix), field("operator", choice(...ASSIGN)), field("right", $._expression)),

    _jump: ($) => choice($.return_statement, $.break_statement, $.continue_statement),

    return_statement: ($) => prec.right(seq("return", optional($._expression))),
    break_statement: ($) => prec.right(seq("break", optional($._target), optional($._expression))),
    continue_statement: ($) => seq("continue", optional($._target)),

    _target: ($) => seq(":", field("label", $.identifier)),

    switch_expression: ($) =>
      seq("switch", "(", field("value", $._expression), ")", "{", maybe($.switch_prong), "}"),

    switch_prong: ($) =>
      seq(
        choice(seq(field("pattern", $._expression), repeat(seq(",", field("pattern", $._expression)))), "else"),
        "=>",
        field(
          "body",
          choice(
            $._expression,
            $.assignment,
            $._jump,
            alias($._prong_for, $.for_statement),
            alias($._prong_while, $.while_statement),
          ),
        ),
      ),

    _prong_for: ($) => seq($._for_head, field("body", $._any_block)),
    _prong_while: ($) => seq($._while_head, field("body", $._any_block)),

    // ---- Expressions

    _expression: ($) =>
      choice(
        $._suffix,
        $._prefix_type,
        $.block,
        $.labeled_block,
        $.switch_expression,
        $.tensor_access,
        $.if_expression,
        $.unary_expression,
        $.comptime_expression,
        $.binary_expression,
      ),

    unary_expression: ($) => prefix($._expression),
    comptime_expression: ($) => comptime($._expression),
    binary_expression: ($) => infix($._expression, $._expression),

    _statement_expression: ($) =>
      choice(
        $._suffix,
        alias($._statement_unary, $.unary_expression),
        alias($._statement_comptime, $.comptime_expression),
        alias($._statement_binary, $.binary_expression),
      ),

    // Behind the operator everything is allowed again.
    _statement_unary: ($) => prefix($._expression),
    _statement_comptime: ($) => comptime($._statement_operand),
    _statement_binary: ($) => infix($._statement_expression, $._expression),

    _statement_operand: ($) =>
      choice(
        $._suffix,
        alias($._statement_unary, $.unary_expression),
        alias($._statement_comptime, $.comptime_expression),
      ),

    // It reaches as far to the right as it can.
    if_expression: ($) =>
      prec.right(
        -1,
        seq(
          "if",
          "(",
          field("condition", $._expression),
          ")",
          field("consequence", $._expression),
          optional(seq("else", field("alternative", $._expression))),
        ),
      ),

    tensor_access: ($) =>
      seq(
        "|",
        field("variable", $.identifier),
        repeat(seq(",", field("variable", $.identifier))),
        "|",
        "{",
        list(field("extent", $._expression)),
        "}",
        "->",
        field("target", $._suffix),
      ),

    _suffix: ($) =>
      choice(
        $._primary,
        $.array_literal,
        $.field_expression,
        $.dereference,
        $.index_expression,
        $.call_expression,
        alias($._typed_literal, $.struct_literal),
      ),

    field_expression: ($) => suffixes($, $._suffix).field,
    dereference: ($) => suffixes($, $._suffix).deref,
    index_expression: ($) => suffixes($, $._suffix).index,
    call_expression: ($) => suffixes($, $._suffix).call,

    _typed_literal: ($) => seq(field("type", $._suffix), "{", maybe($.field_initializer), "}"),

    arguments: ($) => seq("(", maybe($._expression), ")"),

    _primary: ($) =>
      choice(
        $.integer,
        $.float,
        $.string,
        $.character,
        $.boolean,
        $.undefined,
        $.unreachable,
        $.anytype,
        $.asm_expression,
        $.identifier,
        $.builtin_call,
        $.parenthesized_expression,
        $.struct_literal,
        $.tuple_literal,
        $.struct_type,
        $.union_type,
        $.enum_type,
      ),

    builtin_call: ($) => seq(field("function", $.builtin_identifier), field("arguments", $.arguments)),

    parenthesized_expression: ($) => seq("(", $._expression, ")"),

    struct_literal: ($) => seq(opening(), maybe($.field_initializer), "}"),

    tuple_literal: ($) => seq(opening(), list($._expression), "}"),

    array_literal: ($) => seq($._dimensions, field("element", $._type), "{", maybe($._expression), "}"),

    field_initializer: ($) =>
      seq(".", field("name", alias($.identifier, $.field_identifier)), "=", field("value", $._expression)),

    // ---- Types

    struct_type: ($) => seq(optional(choice("extern", "packed")), "struct", $._fields),
    union_type: ($) => seq(optional(choice("extern", "packed")), "union", $._fields),

    _fields: ($) => seq("{", maybe($.field_declaration), "}"),

    field_declaration: ($) =>
      seq(field("name", alias($.identifier, $.field_identifier)), ":", field("type", $._expression)),

    enum_type: ($) =>
      seq(
        "enum",
        optional(seq("(", field("representation", $._expression), ")")),
        "{",
        maybe($.enum_member),
        "}",
      ),

    enum_member: ($) =>
      seq(field("name", alias($.identifier, $.field_identifier)), optional(seq("=", field("value", $._expression)))),

    // Where a block may follow.
    _type: ($) => choice($._type_suffix, $._prefix_type),

    _type_suffix: ($) =>
      choice(
        $._primary,
        alias($._type_field, $.field_expression),
        alias($._type_deref, $.dereference),
        alias($._type_index, $.index_expression),
        alias($._type_call, $.call_expression),
      ),

    _type_field: ($) => suffixes($, $._type_suffix).field,
    _type_deref: ($) => suffixes($, $._type_suffix).deref,
    _type_index: ($) => suffixes($, $._type_suffix).index,
    _type_call: ($) => suffixes($, $._type_suffix).call,

    _prefix_type: ($) => choice($.pointer_type, $.many_pointer_type, $.array_type, $.function_type),

    pointer_type: ($) => seq("*", optional("const"), field("to", $._type)),

    many_pointer_type: ($) => seq("[", "*", "]", optional("const"), field("to", $._type)),

    array_type: ($) => seq($._dimensions, field("element", $._type)),

    _dimensions: ($) => seq("[", list(field("dimension", $._expression)), "]"),

    function_type: ($) =>
      seq(choice("fn", "task"), field("parameters", $.parameters), field("result", $._type)),

    // ---- Words

    identifier: () => /[A-Za-z_][A-Za-z0-9_]*/,

    builtin_identifier: () => /@[A-Za-z_][A-Za-z0-9_]*/,

    boolean: () => choice("true", "false"),
    undefined: () => "undefined",
    unreachable: () => "unreachable",
    anytype: () => "anytype",

    integer: () => token(choice(/0x[0-9A-Fa-f_]+/, /0b[01_]+/, /0o[0-7_]+/, /[0-9][0-9_]*/)),

    float: () =>
      token(choice(/[0-9][0-9_]*\.[0-9][0-9_]*([eE][+-]?[0-9_]+)?/, /[0-9][0-9_]*[eE][+-]?[0-9_]+/,
        /0x[0-9A-Fa-f_]+(\.[0-9A-Fa-f_]+)?[pP][+-]?[0-9]+/)),

    string: ($) =>
      seq(
        '"',
        repeat(choice(alias(token.immediate(prec(1, /[^"\\\n]+/)), $.string_content), $.escape_sequence)),
        token.immediate('"'),
      ),

    character: ($) =>
      seq("'", choice(alias(token.immediate(/[^'\\\n]/), $.character_content), $.escape_sequence), token.immediate("'")),

    escape_sequence: () => token.immediate(/\\(x[0-9A-Fa-f]{2}|[ntr0\\'"])/),

    // Machine code is kept as it stands, up to the matching parenthesis.
    asm_expression: ($) => seq("asm", optional("volatile"), $._asm_text),

    _asm_text: ($) => seq("(", repeat(choice($._asm_text, $.string, $.character, $._asm_word)), ")"),

    _asm_word: () => token(prec(-1, /[^()"'\s]+/)),

    comment: () => token(/\/\/[^\n]*/),
  },
});
