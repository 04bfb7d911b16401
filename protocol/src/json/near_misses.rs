//! Texts that are nearly right, to try what reads them.

/// Calls `check` with all texts that differ from this one in one byte, have one less or one twice, or
/// have two exchanged.
pub(crate) fn near_misses(text: &[u8], mut check: impl FnMut(&[u8])) {
    for at in 0..text.len() {
        let mut changed = text.to_vec();
        for byte in 0..=255 {
            changed[at] = byte;
            check(&changed);
        }
        let mut shorter = text.to_vec();
        shorter.remove(at);
        check(&shorter);
        let mut longer = text.to_vec();
        longer.insert(at, text[at]);
        check(&longer);
        for other in 0..at {
            let mut swapped = text.to_vec();
            swapped.swap(at, other);
            check(&swapped);
        }
    }
}
