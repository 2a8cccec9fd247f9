use super::*;
use crate::entry::Entry;

fn entry(second: i64, address: &str, path: &str, referrer: &str) -> Entry<'static> {
    let text = |text: &str| text.as_bytes().to_vec().into();
    Entry {
        time_ns: second * 1_000_000_000,
        address: text(address),
        agent: text("Mozilla/5.0"),
        path: text(path),
        referrer: text(referrer),
        method: text("GET"),
        status: Some(200),
        bytes: Some(7),
        ..Entry::default()
    }
}

fn columns(batches: &[&[Entry<'_>]], rows_max: usize) -> Columns {
    let mut collector = Collector::new(rows_max);
    let digest = Digest::new(UserBy::default());
    for entries in batches {
        let mut batch = Batch::default();
        entries.iter().for_each(|entry| digest.add(entry, &mut batch));
        collector.take(&mut batch);
    }
    collector.finish()
}

#[test]
fn names_become_numbers_in_the_order_in_which_they_came() {
    let first = [entry(1, "a", "/", ""), entry(2, "b", "/style.css", "http://h/?q=1")];
    let second = [entry(3, "a", "/x", "http://elsewhere/y")];
    let found = columns(&[&first, &second], ROWS_MAX);
    let rows = &found.rows;
    assert_eq!((&rows.user[..], &rows.path[..]), (&[0, 1, 0][..], &[0, 1, 2][..]));
    assert_eq!(rows.referrer, [UNKNOWN, 0, UNKNOWN]);
    assert_eq!((rows.duration_us[0], rows.bytes[0], rows.status[0]), (UNKNOWN, 7, 200));
    let paths: Vec<&[u8]> = found.paths.iter().map(|path| &path[..]).collect();
    assert_eq!(
        (paths, &found.objects[..]),
        (vec![&b"/"[..], b"/style.css", b"/x"], &[false, true, false][..])
    );
    assert_eq!(
        (&found.users[..], found.agents.len(), found.hosts.len()),
        (&[(0, 0), (1, 0)][..], 1, 1)
    );
    assert_eq!((found.requests, found.one_in, found.backwards), (3, 1, 0));
}

#[test]
fn pages_are_a_column_where_a_line_tells_them() {
    let plain = [entry(1, "a", "/", ""), entry(4, "a", "/", "")];
    assert!(columns(&[&plain], ROWS_MAX).rows.page.is_empty());
    let told = [Entry { page: Some(7), ..entry(3, "b", "/", "") }, entry(2, "b", "/", "")];
    assert_eq!(columns(&[&plain, &told], ROWS_MAX).rows.page, [UNKNOWN, UNKNOWN, 7, UNKNOWN]);
}

#[test]
fn a_clock_that_is_set_back_is_put_in_order() {
    let late = [entry(100_000, "a", "/", ""), entry(100_010, "b", "/", "")];
    let early = [entry(50_000, "a", "/", ""), entry(50_001, "c", "/", "")];
    let found = columns(&[&late, &early], ROWS_MAX);
    let seconds: Vec<i64> = found.rows.time_ns.iter().map(|time| time / 1_000_000_000).collect();
    assert_eq!(seconds, [50_000, 50_001, 100_000, 100_010]);
    assert_eq!((&found.rows.user[..], found.backwards), (&[0, 1, 0, 2][..], 1));
}

/// Of 1,000 users of ten requests each, one in four makes 250, with a standard deviation of 14; the
/// users are fixed.
#[test]
fn of_many_rows_those_of_some_users_are_kept_whole() {
    let name = |user: usize| format!("user {user}");
    let entries: Vec<_> = (0..10_000).map(|n| entry(n as i64, &name(n % 1000), "/", "")).collect();
    let found = columns(&entries.chunks(500).collect::<Vec<_>>(), 4000);
    assert_eq!((found.requests, found.one_in), (10_000, 4));
    let mut counts = vec![0; found.users.len()];
    found.rows.user.iter().for_each(|user| counts[*user as usize] += 1);
    let kept = counts.iter().filter(|count| **count > 0).count();
    assert!((200..300).contains(&kept), "{kept}");
    assert!(counts.iter().all(|count| [0, 10].contains(count)));
}
