//! The beginning of a save: what it is, how it was written, and whether it is whole.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

use super::bytes::{Reader, Sink};
use crate::error::SaveError;

/// The version of the format.
pub(crate) const VERSION: u32 = 1;

const MAGIC: &[u8; 8] = b"LATHSAVE";
/// Up to the checksum of the header itself.
const LEN: usize = 8 + 4 + 4 + 8 + 8 + 8;
const NATIVE: u8 = if cfg!(target_endian = "big") { 2 } else { 1 };

/// What LZ4 can make of a byte, at most. More than that is a claim that cannot be true.
const MOST_PER_BYTE: u64 = 256;

/// What a header says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub(crate) version: u32,
    pub(crate) big_endian: bool,
    pub(crate) compressed: bool,
    /// The length of the body, as it is in the file and as it is when it is not compressed.
    pub(crate) stored: u64,
    pub(crate) len: u64,
    pub(crate) checksum: u64,
}

/// Puts a header before a body.
pub(crate) fn wrap(body: Vec<u8>, compressed: bool) -> Vec<u8> {
    let len = body.len() as u64;
    let stored = if compressed { compress(&body) } else { body };
    let mut file = Vec::with_capacity(LEN + 8 + stored.len());
    file.put(MAGIC);
    file.u32(VERSION);
    file.put(&[NATIVE, u8::from(compressed), 0, 0]);
    file.u64(stored.len() as u64);
    file.u64(len);
    file.u64(xxh3_64(&stored));
    file.u64(xxh3_64(&file));
    file.put(&stored);
    file
}

impl Header {
    /// Reads the header and looks whether all that follows is as it says.
    pub(crate) fn read(file: &[u8]) -> Result<(Self, &[u8]), SaveError> {
        if !file.starts_with(MAGIC) {
            return Err(if MAGIC.starts_with(file) {
                SaveError::damaged("it ends within the header")
            } else {
                SaveError::NotASave
            });
        }
        let mut from = Reader::new(file);
        from.take(MAGIC.len())?;
        let version = from.u32()?;
        let [order, compressed, ..] = [from.u8()?, from.u8()?, from.u8()?, from.u8()?];
        let (stored, len, checksum) = (from.u64()?, from.u64()?, from.u64()?);
        let own = from.u64()?;
        // A later version may have another header: what it is comes before whether it is whole.
        if version > VERSION {
            return Err(SaveError::Newer { version });
        }
        if own != xxh3_64(&file[..LEN]) || version == 0 || order == 0 || order > 2 || compressed > 1
        {
            return Err(SaveError::damaged("its header has been changed"));
        }
        let header = Self {
            version,
            big_endian: order == 2,
            compressed: compressed == 1,
            stored,
            len,
            checksum,
        };
        let body = from.take(from.left())?;
        if body.len() as u64 != stored {
            return Err(SaveError::damaged(format!(
                "it has {} bytes after the header, where {stored} were written",
                body.len()
            )));
        }
        if xxh3_64(body) != checksum {
            return Err(SaveError::damaged("its checksum is wrong"));
        }
        Ok((header, body))
    }

    /// The header and the body, in the byte order of this machine and not compressed.
    pub(crate) fn unwrap(file: &[u8]) -> Result<(Self, Cow<'_, [u8]>), SaveError> {
        let (header, body) = Self::read(file)?;
        if header.big_endian != (NATIVE == 2) {
            return Err(SaveError::ByteOrder);
        }
        if !header.compressed {
            if header.len != header.stored {
                return Err(SaveError::damaged("its lengths contradict each other"));
            }
            return Ok((header, Cow::Borrowed(body)));
        }
        if header.len > header.stored.saturating_mul(MOST_PER_BYTE) {
            return Err(SaveError::damaged(format!(
                "{} bytes cannot be compressed to {}",
                header.len, header.stored
            )));
        }
        let len = usize::try_from(header.len).unwrap_or(usize::MAX);
        // The system may have less than that. What is asked for here is let go at once.
        if Vec::<u8>::new().try_reserve_exact(len).is_err() {
            return Err(SaveError::damaged(format!("there is no memory for {len} bytes")));
        }
        let body = decompress(body, len)?;
        Ok((header, Cow::Owned(body)))
    }
}

#[cfg(feature = "lz4")]
fn compress(body: &[u8]) -> Vec<u8> {
    lz4_flex::block::compress(body)
}

#[cfg(not(feature = "lz4"))]
fn compress(_: &[u8]) -> Vec<u8> {
    unreachable!("`Write::compressed` comes with the feature")
}

#[cfg(feature = "lz4")]
fn decompress(stored: &[u8], len: usize) -> Result<Vec<u8>, SaveError> {
    let body = lz4_flex::block::decompress(stored, len)
        .map_err(|error| SaveError::damaged(error.to_string()))?;
    if body.len() == len {
        Ok(body)
    } else {
        Err(SaveError::damaged("it is shorter than it says when decompressed"))
    }
}

#[cfg(not(feature = "lz4"))]
fn decompress(_: &[u8], _: usize) -> Result<Vec<u8>, SaveError> {
    Err(SaveError::Compressed)
}
