use super::*;
use serde_json::json;

fn record(id: &str) -> Record {
    serde_json::from_value(json!({
        "format": 1, "match": id, "game": "amazons", "options": {}, "seed": 1,
        "start": {}, "players": [], "time": {"startup_ms": 1, "margin_ms": 1},
        "limits": {"max_plies": null, "repetition": null}, "opening": 0, "moves": [],
        "result": {"scores": [], "outcome": [], "reason": "x", "faults": []},
        "started": "", "duration_ms": 1, "referee": ""
    }))
    .unwrap()
}

fn started() -> (tempfile::TempDir, PathBuf, LogWriter) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.jsonl");
    let mut log = LogWriter::create(&path).unwrap();
    log.append([&record("m-1")]).unwrap();
    (folder, path, log)
}

#[test]
fn only_one_writes() {
    let (_folder, path, log) = started();
    let second = LogWriter::go_on(&path);
    assert!(matches!(second, Err(WriteError::Busy { .. })));
    assert!(matches!(
        LogWriter::append_to(&path),
        Err(WriteError::Busy { .. })
    ));
    drop(log);
    LogWriter::go_on(&path).unwrap();
}

#[test]
fn whole_lines_of_a_write_that_failed_stay() {
    for (written, kept) in [
        (0, 0),
        (2, 0),
        (3, 3),
        (5, 3),
        (6, 6),
        (7, 6),
        (u64::MAX, 6),
    ] {
        assert_eq!(whole_lines(b"ab\ncd\n", written), kept);
    }
}

#[test]
fn a_line_follows_the_last_one_whatever_came_in_between() {
    let (_folder, path, mut log) = started();
    log.append([&record("m-2"), &record("m-3")]).unwrap();
    drop(log);
    let mut log = LogWriter::append_to(&path).unwrap();
    log.append([&record("m-4")]).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let mut before = LineHash::NONE;
    for line in text.lines() {
        assert!(
            line.ends_with(&format!(",\"prev\":\"{before}\"}}")),
            "{line}"
        );
        before = LineHash::of(line.as_bytes());
    }
    assert_eq!(text.lines().count(), 4);
}

#[test]
fn the_last_line_is_found_however_long_it_is() {
    let mut file = tempfile::tempfile().unwrap();
    assert_eq!(last_line(&file, 0).unwrap(), None);
    let long = "x".repeat(200_000);
    for line in ["ab", &long, "c", &long] {
        writeln!(file, "{line}\n").unwrap();
        let whole = file.metadata().unwrap().len();
        assert_eq!(last_line(&file, whole).unwrap().unwrap(), line.as_bytes());
    }
}

#[test]
fn a_cut_line_is_dropped_and_the_next_match_follows() {
    let (_folder, path, log) = started();
    drop(log);
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{whole}{}", &whole[..9])).unwrap();
    let mut log = LogWriter::go_on(&path).unwrap();
    log.drop_cut(&CutLine { line: 2, bytes: 9 }).unwrap();
    log.append([&record("m-2")]).unwrap();
    let mut expected = whole.clone().into_bytes();
    let last = LineHash::of(whole.as_bytes());
    chain::write_line(&record("m-2"), last, &mut expected);
    assert_eq!(fs::read(&path).unwrap(), expected);
}

#[test]
fn a_file_that_vanished_is_noticed_and_can_still_be_copied() {
    let (_folder, path, mut log) = started();
    fs::remove_file(&path).unwrap();
    let gone = log.append([&record("m-2")]);
    assert!(matches!(gone, Err(WriteError::Gone { .. })), "{gone:?}");
    assert_eq!(log.moved_to(), None);
    let mut copy = Vec::new();
    log.copy_to(&mut copy).unwrap();
    assert_eq!(copy.iter().filter(|byte| **byte == b'\n').count(), 2);
}

#[test]
fn a_file_that_was_replaced_is_noticed_and_found() {
    let (folder, path, mut log) = started();
    let elsewhere = folder.path().join("elsewhere.jsonl");
    fs::rename(&path, &elsewhere).unwrap();
    fs::write(&path, "").unwrap();
    assert!(matches!(log.sync(), Err(WriteError::Gone { .. })));
    if cfg!(target_os = "linux") {
        let elsewhere = fs::canonicalize(elsewhere).unwrap();
        assert_eq!(log.moved_to(), Some(elsewhere));
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "");
}

#[test]
fn what_others_write_into_it_is_noticed() {
    let (_folder, path, mut log) = started();
    let mut other = OpenOptions::new().append(true).open(&path).unwrap();
    other.write_all(b"mischief\n").unwrap();
    let error = log.append([&record("m-2")]).unwrap_err();
    assert!(matches!(error, WriteError::Changed { .. }), "{error}");
}

#[test]
fn a_guarded_log_is_put_back() {
    let (_folder, path, mut log) = started();
    log.guard().unwrap();
    for (number, mischief) in ["appended", "cut", "overwritten"].into_iter().enumerate() {
        let expected = fs::read_to_string(&path).unwrap();
        let mut other = OpenOptions::new().write(true).open(&path).unwrap();
        match mischief {
            "cut" => other.set_len(7).unwrap(),
            "overwritten" => other.write_all(b"{\"format\":9").unwrap(),
            _ => {
                other.seek(SeekFrom::End(0)).unwrap();
                other.write_all(b"{}\n").unwrap();
            }
        }
        // At the end, as there the contents are compared: the clock of file systems is slow.
        log.finish().unwrap();
        assert_eq!(log.take_put_back(), Some(number + 1), "{mischief}");
        assert_eq!(fs::read_to_string(&path).unwrap(), expected, "{mischief}");
        log.append([&record(&format!("m-{}", number + 2))]).unwrap();
        assert_eq!(log.take_put_back(), None);
    }
    let expected = fs::read_to_string(&path).unwrap();
    let mut other = OpenOptions::new().append(true).open(&path).unwrap();
    other.write_all(b"half a li").unwrap();
    log.append([&record("m-9")]).unwrap();
    assert_eq!(log.take_put_back(), Some(4));
    let now = fs::read_to_string(&path).unwrap();
    assert!(now.starts_with(&expected) && now.lines().count() == 5);
    assert!(broken(&path).is_empty());
}

/// The breaks of a log's chain.
fn broken(path: &Path) -> Vec<crate::ChainBreak> {
    let mut file = crate::LogFile::open(path).unwrap().checking_chain();
    for record in file.by_ref() {
        record.unwrap();
    }
    file.breaks().to_vec()
}

/// A log of five matches that is guarded, and a handle of the backup's copy: what a program finds
/// that can look into this process.
fn guarded() -> (tempfile::TempDir, PathBuf, LogWriter, File) {
    let (folder, path, mut log) = started();
    log.guard().unwrap();
    let more: Vec<Record> = (2..=5).map(|n| record(&format!("m-{n}"))).collect();
    log.append(&more).unwrap();
    let copy = log.backup.as_ref().unwrap().copy().unwrap();
    (folder, path, log, copy)
}

/// Makes another winner of one match: by this text, of the same length.
fn forge(file: &File, from: &str, to: &str) {
    let length = file.metadata().unwrap().len() as usize;
    let mut text = vec![0; length];
    file.read_exact_at(&mut text, 0).unwrap();
    let text = String::from_utf8(text).unwrap();
    let at = text.find(from).unwrap();
    let writable = OpenOptions::new()
        .write(true)
        .open(format!("/proc/self/fd/{}", file.as_raw_fd()));
    writable
        .unwrap()
        .write_all_at(to.as_bytes(), at as u64)
        .unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_forged_copy_is_not_put_back() {
    // Each line is still true somewhere.
    let (_folder, path, mut log, copy) = guarded();
    let expected = fs::read_to_string(&path).unwrap();
    forge(&copy, "\"m-2\"", "\"m-X\"");
    forge(&File::open(&path).unwrap(), "\"m-4\"", "\"m-Y\"");
    log.finish().unwrap();
    assert_eq!(log.take_put_back(), Some(5));
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);

    // One is forged everywhere.
    let (_folder, path, mut log, copy) = guarded();
    for file in [&copy, &File::open(&path).unwrap()] {
        forge(file, "\"m-2\"", "\"m-X\"");
    }
    let error = log.finish().unwrap_err();
    assert!(
        matches!(&error, WriteError::Lost { lost, kept: 4, .. } if *lost == [2]),
        "{error}"
    );
    assert!(error.to_string().contains("line 2 is lost"), "{error}");
    let left = fs::read_to_string(&path).unwrap();
    let ids = ["m-1", "m-3", "m-4", "m-5"];
    assert!(
        left.lines().zip(ids).all(|(line, id)| line.contains(id)),
        "{left}"
    );
    assert!(left.lines().count() == 4 && broken(&path).is_empty());
    // What follows, follows.
    log.append([&record("m-6")]).unwrap();
    assert!(broken(&path).is_empty());

    // Nothing is left in either.
    let (_folder, path, mut log, copy) = guarded();
    for file in [&copy, &File::open(&path).unwrap()] {
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        OpenOptions::new()
            .write(true)
            .open(path)
            .unwrap()
            .set_len(0)
            .unwrap();
    }
    let error = log.append([&record("m-6")]).unwrap_err().to_string();
    assert!(error.contains("lines 1, 2, 3, 4 and 5 are lost"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "");
}

#[test]
fn what_is_no_file_is_written_without_ado() {
    let mut log = LogWriter::append_to(Path::new("/dev/null")).unwrap();
    log.append([&record("m-1")]).unwrap();
    log.sync().unwrap();
}
