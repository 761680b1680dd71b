//! Writing and reading numbers, texts and lists. Whatever is read may be anything: nothing is
//! allocated before it was seen that there is as much to read.

use xxhash_rust::xxh3::Xxh3;

use crate::error::SaveError;

/// What bytes are written to: a buffer, or a hash.
pub(crate) trait Sink {
    fn put(&mut self, bytes: &[u8]);

    fn u8(&mut self, number: u8) {
        self.put(&[number]);
    }

    fn u32(&mut self, number: u32) {
        self.put(&number.to_le_bytes());
    }

    fn u64(&mut self, number: u64) {
        self.put(&number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.u32(text.len() as u32);
        self.put(text.as_bytes());
    }

    /// How many there are, and each of them.
    fn list<I: IntoIterator>(&mut self, items: I, mut put: impl FnMut(&mut Self, I::Item))
    where
        I::IntoIter: ExactSizeIterator,
        Self: Sized,
    {
        let items = items.into_iter();
        self.u64(items.len() as u64);
        items.for_each(|item| put(self, item));
    }
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

impl Sink for Xxh3 {
    fn put(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }
}

/// What is left to read.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub(crate) fn left(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], SaveError> {
        match self.bytes.split_at_checked(len) {
            Some((taken, left)) => {
                self.bytes = left;
                Ok(taken)
            }
            None => Err(SaveError::damaged(format!(
                "it ends where {len} more bytes should be, {} are left",
                self.left()
            ))),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], SaveError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, SaveError> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u32(&mut self) -> Result<u32, SaveError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, SaveError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, SaveError> {
        let len = self.u32()? as usize;
        std::str::from_utf8(self.take(len)?).map_err(|_| SaveError::damaged("a name is not text"))
    }

    /// The bytes of a column: as many as the number before them says.
    pub(crate) fn block(&mut self) -> Result<&'a [u8], SaveError> {
        let len = self.u64()?;
        self.take(usize::try_from(len).unwrap_or(usize::MAX))
    }

    /// How many things follow, each of `size` bytes at least.
    pub(crate) fn count(&mut self, size: usize) -> Result<usize, SaveError> {
        let count = self.u64()?;
        let most = (self.left() / size.max(1)) as u64;
        if count > most {
            let what = format!("a list claims {count} entries, where there is room for {most}");
            return Err(SaveError::damaged(what));
        }
        Ok(count as usize)
    }

    /// A list whose entries have `size` bytes each.
    pub(crate) fn list<X>(
        &mut self,
        size: usize,
        mut entry: impl FnMut(&mut Self) -> Result<X, SaveError>,
    ) -> Result<Vec<X>, SaveError> {
        let count = self.count(size)?;
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            list.push(entry(self)?);
        }
        Ok(list)
    }
}
