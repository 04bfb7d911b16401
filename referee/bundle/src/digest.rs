//! SHA-256 of archives, in hexadecimal digits, as names of files.

use std::fmt;
use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A SHA-256 in 64 lower-case hexadecimal digits. Nothing else is one, so it can be a file's name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(String);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self::from_hasher(Sha256::new_with_prefix(bytes))
    }

    fn from_hasher(hasher: Sha256) -> Self {
        let bytes = hasher.finalize();
        Digest(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The file name of the archive with this hash.
    pub(super) fn archive_name(&self) -> String {
        format!("{self}.tar.gz")
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl TryFrom<String> for Digest {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() == 64 && text.bytes().all(is_digit) {
            return Ok(Digest(text));
        }
        let shown = protocol::excerpt(text.as_bytes(), 80);
        Err(format!(
            "`{shown}` is not a SHA-256 in 64 hexadecimal digits"
        ))
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.0
    }
}

/// Passes bytes on, and hashes and counts them.
pub(super) struct Hashing<T> {
    pub(super) inner: T,
    hasher: Sha256,
}

impl<T> Hashing<T> {
    pub(super) fn new(inner: T) -> Self {
        let hasher = Sha256::new();
        Hashing { inner, hasher }
    }

    /// The inner writer, and the digest of the bytes.
    pub(super) fn finish(self) -> (T, Digest) {
        (self.inner, Digest::from_hasher(self.hasher))
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.hasher.update(&into[..read]);
        Ok(read)
    }
}
