[
  (block)
  (switch_expression)
  (struct_literal)
  (tuple_literal)
  (array_literal)
  (struct_type)
  (union_type)
  (enum_type)
  (parameters)
  (arguments)
  (asm_expression)
] @fold
