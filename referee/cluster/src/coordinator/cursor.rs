//! The cursor into the stream of results, and the detection of a stuck queue. Pure.

/// The most results requested at a time.
const LARGEST_BATCH: u64 = 64;

/// The position in the stream of results. Batches double while they are full: a resumed coordinator may
/// find hundreds of thousands of results, and each request takes a round trip. Then they are as large as
/// all that was found the last time, and one more, which shows that it was all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ResultCursor {
    next: u64,
    batch: u64,
    /// What was read since the last end.
    found: u64,
    /// The last batch was not full: there was no more.
    is_at_end: bool,
}

impl Default for ResultCursor {
    fn default() -> Self {
        ResultCursor {
            next: 1,
            batch: 1,
            found: 0,
            is_at_end: false,
        }
    }
}

impl ResultCursor {
    /// The next requests: for each of these sequence numbers, the first result at it or after it.
    pub(super) fn batch(self) -> std::ops::Range<u64> {
        self.next..self.next + self.batch
    }

    /// Takes the answers to a batch, in its order, each a sequence number with its content. Returns what was
    /// not read before.
    pub(super) fn read<T>(
        &mut self,
        answers: impl IntoIterator<Item = Option<(u64, T)>>,
    ) -> Vec<T> {
        let mut read = Vec::new();
        let batch = self.batch();
        for (asked, answer) in batch.clone().zip(answers) {
            if asked < self.next {
                // After a gap, the same result answers several requests.
                continue;
            }
            // Later results have higher sequence numbers. So nothing can be missing before an answer, but
            // something may come after an empty one.
            let Some((sequence, result)) = answer else {
                break;
            };
            read.push(result);
            self.next = sequence + 1;
        }
        self.is_at_end = self.next < batch.end;
        self.found += read.len() as u64;
        let wanted = if self.is_at_end {
            std::mem::take(&mut self.found) + 1
        } else {
            self.batch * 2
        };
        self.batch = wanted.min(LARGEST_BATCH);
        read
    }

    /// True if the last batch has shown that there was no more; only once, as more may come.
    pub(super) fn take_end(&mut self) -> bool {
        std::mem::take(&mut self.is_at_end)
    }

    /// Compares with the last sequence number of the stream. If more was read than that, the server has
    /// lost results and reuses their numbers: start over.
    pub(super) fn check(&mut self, last: u64) {
        if last + 1 < self.next {
            *self = ResultCursor::default();
        }
    }
}

/// The repair that the queue needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Nothing.
    Nothing,
    /// Remove jobs that are done.
    RemoveDone,
    /// Recreate the consumer. Jobs that workers hold may be delivered twice.
    Recreate,
}

/// Detects a queue that holds jobs but delivers them to no worker.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct QueueWatch {
    /// Consecutive checks at which it seemed stuck.
    times: u32,
}

impl QueueWatch {
    /// Checks the server's counts. By the consumer, `owed` jobs wait or are leased; `there` jobs are in the
    /// stream, counted afterwards (until then they can only have become fewer, as nobody else publishes).
    /// `all_idle` means that there are workers and none of them has a job: if that lasts while there are
    /// jobs, the queue is stuck whatever the server counts. `has_done` means that the queue holds jobs that
    /// are done.
    pub(super) fn look(&mut self, owed: u64, there: u64, all_idle: bool, has_done: bool) -> Remedy {
        let seems_stuck = there > owed || (there > 0 && all_idle);
        self.times = if seems_stuck { self.times + 1 } else { 0 };
        // A job may just be being removed, so once is not enough.
        match self.times {
            0 | 1 => Remedy::Nothing,
            2 if has_done => Remedy::RemoveDone,
            // Removing jobs that are done did not help.
            _ => {
                self.times = 0;
                Remedy::Recreate
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a stream of these sequence numbers to its end; also counts the batches.
    fn read_all(cursor: &mut ResultCursor, stream: &[u64]) -> (Vec<u64>, u32) {
        let (mut all, mut batches) = (Vec::new(), 0);
        loop {
            let answers = cursor.batch().map(|asked| {
                let found = stream.iter().find(|&&sequence| sequence >= asked)?;
                Some((*found, *found))
            });
            let read = cursor.read(answers.collect::<Vec<_>>());
            batches += 1;
            all.extend(read);
            if cursor.take_end() {
                return (all, batches);
            }
        }
    }

    #[test]
    fn every_result_is_read_once_in_few_batches_gaps_or_not() {
        let whole: Vec<u64> = (1..=1000).collect();
        let mut cursor = ResultCursor::default();
        let (read, batches) = read_all(&mut cursor, &whole);
        assert_eq!(read, whole);
        assert!(batches < 30, "{batches}");
        let gaps: Vec<u64> = (1..=1000).filter(|n| n % 7 > 2 && n / 100 != 4).collect();
        assert_eq!(read_all(&mut ResultCursor::default(), &gaps).0, gaps);
    }

    #[test]
    fn what_comes_in_groups_is_read_in_one_batch_each() {
        let mut cursor = ResultCursor::default();
        let mut stream: Vec<u64> = (1..=5).collect();
        read_all(&mut cursor, &stream);
        for group in 1..9 {
            let new: Vec<u64> = (1..=5).map(|at| 5 * group + at).collect();
            stream.extend(&new);
            let (read, batches) = read_all(&mut cursor, &stream);
            assert_eq!(read, new);
            assert!(group == 1 || batches == 1, "{batches} batches");
        }
        assert_eq!(read_all(&mut cursor, &stream), (vec![], 1));
        // Then one at a time.
        assert_eq!(cursor.batch().count(), 1);
    }

    #[test]
    fn nothing_is_skipped_that_was_stored_between_two_questions_of_a_batch() {
        let mut cursor = ResultCursor::default();
        cursor.read([Some((1, ()))]);
        assert_eq!(cursor.batch(), 2..4);
        // 2 and 3 came after the first question was answered.
        assert!(cursor.read([None, Some((3, ()))]).is_empty());
        assert_eq!(cursor.batch().start, 2);
    }

    #[test]
    fn a_stream_that_became_shorter_is_read_once_more() {
        let mut cursor = ResultCursor::default();
        cursor.read([Some((7, ()))]);
        cursor.check(7);
        assert_eq!(cursor.batch().start, 8);
        cursor.check(6);
        assert_eq!(cursor.batch(), 1..2);
        cursor.check(0);
        assert_eq!(cursor.batch(), 1..2);
    }

    #[test]
    fn a_queue_is_stuck_only_if_it_is_so_twice_in_a_row() {
        let mut watch = QueueWatch::default();
        let looks = [
            (5, 6, false),
            (5, 5, false),
            (0, 0, true),
            (5, 6, false),
            (4, 4, true),
            (5, 6, false),
        ];
        let remedies = looks.map(|(owed, there, idle)| watch.look(owed, there, idle, false));
        let mut expected = [Remedy::Nothing; 6];
        expected[4] = Remedy::Recreate;
        assert_eq!(remedies, expected);
    }

    #[test]
    fn what_is_done_is_removed_before_the_queue_is_recreated() {
        let mut watch = QueueWatch::default();
        let mut look = |owed| watch.look(owed, 6, false, true);
        assert_eq!([look(5), look(5)], [Remedy::Nothing, Remedy::RemoveDone]);
        assert_eq!([look(6), look(5)], [Remedy::Nothing; 2]);
        assert_eq!([look(5), look(5)], [Remedy::RemoveDone, Remedy::Recreate]);
    }
}
