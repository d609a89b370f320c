/// A number of bytes, such as `512M` or `8G`.
pub fn size(text: &str) -> Result<u64, String> {
    let units = [('K', 10), ('M', 20), ('G', 30)];
    let unit = units.iter().find(|(letter, _)| text.ends_with([*letter, letter.to_ascii_lowercase()]));
    let (digits, shift) = unit.map_or((text, 0), |(_, shift)| (&text[..text.len() - 1], *shift));
    let number: Option<u64> = digits.parse().ok();
    let bytes = number.and_then(|n| n.checked_mul(1 << shift));
    bytes.ok_or_else(|| "it must be a number of bytes, such as 512M or 8G".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("100"), Ok(100));
        assert_eq!(size("2k"), Ok(2048));
        assert_eq!(size("8G"), Ok(8 << 30));
        assert!(size("8T").is_err() && size("G").is_err() && size("99999999999G").is_err());
    }
}
