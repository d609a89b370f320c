/// A number of bytes, such as `512M` or `8G`.
pub fn size(text: &str) -> Result<u64, String> {
    let units = [('K', 10), ('M', 20), ('G', 30)];
    let digits_end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, suffix) = text.split_at(digits_end);
    let mut letters = suffix.chars();
    let shift = match letters.next() {
        None => Some(0),
        Some(letter) => {
            units.iter().find(|(unit, _)| *unit == letter.to_ascii_uppercase()).map(|(_, shift)| *shift)
        }
    };
    let shift = shift.filter(|_| matches!(letters.as_str(), "" | "B" | "i" | "iB"));
    let number: Option<u64> = digits.parse().ok();
    let bytes = number.zip(shift).and_then(|(n, shift)| n.checked_mul(1 << shift));
    bytes.ok_or_else(|| {
        "it must be a number of bytes, or of K, M or G (1024, 1024² or 1024³ bytes), such as 512M or 8G"
            .to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("100"), Ok(100));
        assert_eq!(size("2k"), Ok(2048));
        assert_eq!(size("8G"), Ok(8 << 30));
        assert_eq!((size("1Ki"), size("1KiB"), size("1kB")), (Ok(1024), Ok(1024), Ok(1024)));
        assert!(size("1.5G").is_err() && size("8GiBs").is_err() && size("").is_err());
        assert!(size("8T").is_err() && size("G").is_err() && size("99999999999G").is_err());
    }
}
