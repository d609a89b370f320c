//! Text as HTML.

/// A text in which nothing is taken for a tag.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A text between the quotes of an attribute.
pub fn attribute(text: &str) -> String {
    escaped(text).replace('"', "&quot;")
}

/// A text in a `span`.
pub fn span(class: &str, text: &str) -> String {
    format!("<span class=\"{class}\">{}</span>", escaped(text))
}
