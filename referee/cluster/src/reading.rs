//! What a coordinator concludes from what the server counts: where the results are read on, and whether
//! the queue is stuck. Nothing is asked for here, so a simulation can use it as well.

/// The most results that are asked for at a time.
const LARGEST_BATCH: u64 = 64;

/// Where the stream of results is read on. As long as all that was asked for is there, twice as much is asked
/// for next: a coordinator that is resumed may find hundreds of thousands, and each one alone would take the
/// time of a message there and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultCursor {
    next: u64,
    batch: u64,
}

impl Default for ResultCursor {
    fn default() -> Self {
        ResultCursor { next: 1, batch: 1 }
    }
}

impl ResultCursor {
    /// What to ask for now: for each of these sequences the first result that has it or a higher one.
    pub fn batch(self) -> std::ops::Range<u64> {
        self.next..self.next + self.batch
    }

    /// Takes in the answers, one for each of the batch and in its order, made of sequences and what they
    /// belong to; gives what was not read before.
    pub fn read<T>(&mut self, answers: impl IntoIterator<Item = Option<(u64, T)>>) -> Vec<T> {
        let mut read = Vec::new();
        let batch = self.batch();
        for (asked, answer) in batch.clone().zip(answers) {
            if asked < self.next {
                // There is a gap, and this is what came after it.
                continue;
            }
            // What is stored later has a higher sequence. So nothing can be missing before an answer, but
            // behind an empty one there may be.
            let Some((sequence, result)) = answer else {
                break;
            };
            read.push(result);
            self.next = sequence + 1;
        }
        self.batch = if self.next >= batch.end {
            (self.batch * 2).min(LARGEST_BATCH)
        } else {
            1
        };
        read
    }

    /// The last sequence of the stream is this one. If more was read than that, the server has lost results,
    /// and gives their places to other ones: those that are there are read once more.
    pub fn check(&mut self, last: u64) {
        if last + 1 < self.next {
            *self = ResultCursor::default();
        }
    }
}

/// What is to be done about the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Nothing.
    Nothing,
    /// To remove the jobs that are done and in the queue all the same.
    RemoveDone,
    /// To begin it anew, which gives jobs that workers have to others as well.
    BeginAnew,
}

/// Whether the queue holds jobs that it gives to nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueWatch {
    /// How often in a row it seemed so when it was looked at.
    times: u32,
}

impl QueueWatch {
    /// Takes in what the server counts. `owed` jobs wait or are in the hands of workers by the count of the
    /// consumer, and `there` are in the stream, counted afterwards: until then they can only have become
    /// fewer, because nobody else publishes any. `all_idle` says that there are workers, and that none of
    /// them has a job: if that lasts while there are jobs, the queue is stuck whatever the server counts.
    /// `has_done` says that there are jobs in the queue that are done.
    pub fn look(&mut self, owed: u64, there: u64, all_idle: bool, has_done: bool) -> Remedy {
        let seems_stuck = there > owed || (there > 0 && all_idle);
        self.times = if seems_stuck { self.times + 1 } else { 0 };
        // A job may be in the midst of being removed, so once is not enough.
        match self.times {
            0 | 1 => Remedy::Nothing,
            2 if has_done => Remedy::RemoveDone,
            // What was done is removed, so once is enough. But jobs that are done need not be those that
            // nobody gets.
            _ => {
                self.times = 0;
                Remedy::BeginAnew
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a stream of these sequences to its end; gives what was read, and in how many batches.
    fn read_all(cursor: &mut ResultCursor, stream: &[u64]) -> (Vec<u64>, u32) {
        let (mut all, mut batches) = (Vec::new(), 0);
        loop {
            let answers = cursor.batch().map(|asked| {
                let found = stream.iter().find(|&&sequence| sequence >= asked)?;
                Some((*found, *found))
            });
            let read = cursor.read(answers.collect::<Vec<_>>());
            batches += 1;
            if read.is_empty() {
                return (all, batches);
            }
            all.extend(read);
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
        // Then one at a time, as they come.
        assert_eq!(cursor.batch(), 1001..1002);
        assert_eq!(read_all(&mut cursor, &[1000, 1001, 1005]).0, [1001, 1005]);
    }

    #[test]
    fn nothing_is_skipped_that_was_stored_between_two_questions_of_a_batch() {
        let mut cursor = ResultCursor::default();
        cursor.read([Some((1, ()))]);
        assert_eq!(cursor.batch(), 2..4);
        // 2 and 3 came after the first question was answered.
        assert!(cursor.read([None, Some((3, ()))]).is_empty());
        assert_eq!(cursor.batch(), 2..3);
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
        expected[4] = Remedy::BeginAnew;
        assert_eq!(remedies, expected);
    }

    #[test]
    fn what_is_done_is_removed_before_the_queue_begins_anew() {
        let mut watch = QueueWatch::default();
        let mut look = |owed| watch.look(owed, 6, false, true);
        assert_eq!([look(5), look(5)], [Remedy::Nothing, Remedy::RemoveDone]);
        assert_eq!([look(6), look(5)], [Remedy::Nothing; 2]);
        assert_eq!([look(5), look(5)], [Remedy::RemoveDone, Remedy::BeginAnew]);
    }
}
