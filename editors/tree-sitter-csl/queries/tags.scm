(function_declaration name: (identifier) @name) @definition.function
(task_declaration name: (identifier) @name) @definition.function
(source_file (variable_declaration name: (identifier) @name) @definition.variable)
(source_file (constant_declaration name: (identifier) @name) @definition.constant)
(param_declaration name: (identifier) @name) @definition.constant
(field_declaration name: (field_identifier) @name) @definition.field

(call_expression function: (identifier) @name) @reference.call
(call_expression function: (field_expression name: (field_identifier) @name)) @reference.call
