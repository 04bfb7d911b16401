//! The transposition table: a fixed number of bytes, which keeps what took the most work.

/// The entries that a position may be in.
const BUCKET: usize = 4;

/// A stored result. The search decides what the two numbers mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    /// 0 where nothing is stored.
    pub(crate) key: u128,
    pub(crate) first: u32,
    pub(crate) second: u32,
    /// The positions that were searched for it.
    pub(crate) work: u32,
}

/// The entries that a position may be in, beside each other in two lines of the processor's cache.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Bucket([Entry; BUCKET]);

pub(crate) const ENTRY: usize = size_of::<Entry>();

pub(crate) struct Table {
    buckets: Vec<Bucket>,
    used: usize,
}

impl Table {
    /// A table of at most this many bytes, but of at least one bucket.
    pub(crate) fn new(bytes: usize) -> Self {
        let buckets = (bytes / size_of::<Bucket>()).max(1);
        Table {
            buckets: vec![Bucket::default(); buckets],
            used: 0,
        }
    }

    #[inline]
    fn bucket(&self, key: u128) -> usize {
        let buckets = self.buckets.len() as u64;
        (((key & u128::from(u64::MAX)) * u128::from(buckets)) >> 64) as usize
    }

    /// Has the processor fetch what [`Table::get`] needs for these keys, all at once: waiting for memory takes
    /// more time than everything else.
    pub(crate) fn fetch(&self, keys: &[u128]) {
        let mut sum = 0;
        for key in keys {
            let Bucket(entries) = &self.buckets[self.bucket(*key)];
            sum ^= entries[0].work ^ entries[BUCKET - 1].work;
        }
        std::hint::black_box(sum);
    }

    pub(crate) fn get(&self, key: u128) -> Option<Entry> {
        let Bucket(entries) = &self.buckets[self.bucket(key)];
        entries.iter().find(|entry| entry.key == key).copied()
    }

    /// Stores an entry; if there is no room, in place of the one with the least work.
    pub(crate) fn put(&mut self, entry: Entry) {
        let at = self.bucket(entry.key);
        let Bucket(entries) = &mut self.buckets[at];
        let least = entries.iter_mut().min_by_key(|other| match other.key {
            key if key == entry.key => (0, 0),
            0 => (1, 0),
            _ => (2, other.work),
        });
        if let Some(least) = least {
            self.used += usize::from(least.key == 0);
            *least = entry;
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Entry> {
        let entries = self.buckets.iter().flat_map(|bucket| &bucket.0);
        entries.filter(|entry| entry.key != 0)
    }

    pub(crate) fn used(&self) -> usize {
        self.used
    }

    pub(crate) fn filled(&self) -> f64 {
        self.used as f64 / (self.buckets.len() * BUCKET) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(key: u128, work: u32) -> Entry {
        Entry {
            key,
            first: 1,
            second: 2,
            work,
        }
    }

    #[test]
    fn the_entry_with_the_least_work_gives_way() {
        let mut table = Table::new(0);
        for (key, work) in [(1, 50), (2, 7), (3, 60), (4, 70)] {
            table.put(entry(key, work));
        }
        table.put(entry(5, 1));
        assert_eq!(table.get(2), None);
        assert_eq!(table.get(5), Some(entry(5, 1)));
        table.put(entry(1, 51));
        assert_eq!(table.get(1), Some(entry(1, 51)));
        assert_eq!((table.used(), table.iter().count()), (4, 4));
    }
}
