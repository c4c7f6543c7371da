//! Reads the little-endian integers and strings of Go's coverage files.

/// A position in bytes that may be damaged: every read may come to nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The same bytes from another position.
    pub(super) fn seek(self, at: usize) -> Self {
        Self { at, ..self }
    }

    pub(super) fn position(self) -> usize {
        self.at
    }

    pub(super) fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let end = self.at.checked_add(count)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    pub(super) fn u32_big_endian(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    /// Seven bits a byte, the lowest first; the top bit says that more follow.
    pub(super) fn uleb128(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.take(1)?.first()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    pub(super) fn size(&mut self) -> Option<usize> {
        usize::try_from(self.uleb128()?).ok()
    }

    /// A count and as many strings, each with its length before it.
    pub(super) fn strings(&mut self) -> Option<Vec<&'b str>> {
        let count = self.size()?;
        let string = |_| {
            let length = self.size()?;
            std::str::from_utf8(self.take(length)?).ok()
        };
        (0..count).map(string).collect()
    }
}
