; ---- Scopes

[
  (source_file)
  (function_declaration)
  (task_declaration)
  (block)
  (for_statement)
  (tensor_access)
] @local.scope

; ---- Definitions

(variable_declaration name: (identifier) @local.definition.var)
(constant_declaration name: (identifier) @local.definition.constant)
(param_declaration name: (identifier) @local.definition.parameter)
(function_declaration name: (identifier) @local.definition.function)
(task_declaration name: (identifier) @local.definition.function)
(parameter name: (identifier) @local.definition.parameter)
(for_statement item: (identifier) @local.definition.var)
(for_statement index: (identifier) @local.definition.var)
(tensor_access variable: (identifier) @local.definition.var)

; ---- References

(identifier) @local.reference
