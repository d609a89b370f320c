; Editors name the same things differently: `indent.begin`, `indent.branch` and `indent.end` are the words of Neovim,
; `indent` and `outdent` those of Helix, `indent` and `end` those of Zed.

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
  (parenthesized_expression)
] @indent.begin @indent

; A node has three names at most.
[")" "]" "}"] @indent.branch @indent.end
[")" "]" "}"] @outdent @end

(comment) @indent.ignore
