use proptest::prelude::*;

use super::navigation::navigation_of;
use super::*;

/// A request: (second, user, path, referrer, status).
type Asked = (i64, u32, u32, u32, u16);

const RULES: Rules = Rules { timeout_s: 1800.0, resolution_s: 1e-3, pages: true };

/// The result for requests that take a tenth of a second; paths from 100 on are objects.
fn found(asked: &[Asked]) -> Visits {
    found_by(&RULES, asked)
}

fn found_by(rules: &Rules, asked: &[Asked]) -> Visits {
    found_told(rules, asked, &[])
}

/// The same if the log names the page of each.
fn found_told(rules: &Rules, asked: &[Asked], known: &[u32]) -> Visits {
    let time_ns: Vec<_> = asked.iter().map(|one| one.0 * 1_000_000_000).collect();
    let user: Vec<_> = asked.iter().map(|one| one.1).collect();
    let path: Vec<_> = asked.iter().map(|one| one.2).collect();
    let referrer: Vec<_> = asked.iter().map(|one| one.3).collect();
    let status: Vec<_> = asked.iter().map(|one| one.4).collect();
    let duration_us = vec![100_000; asked.len()];
    let objects: Vec<_> = (0..200).map(|path| path >= 100).collect();
    let templates: Vec<_> = (0..200).collect();
    let requests = Requests {
        time_ns: &time_ns,
        duration_us: &duration_us,
        user: &user,
        path: &path,
        referrer: &referrer,
        status: &status,
        page: known,
    };
    let paths = Paths { objects: &objects, templates: &templates };
    find_visits(requests, paths, rules).expect("one log")
}

/// Pages of one user, one a minute: (path, referrer).
fn pages(asked: &[(u32, u32)]) -> Visits {
    let at =
        |(minute, (path, referrer)): (i64, &(u32, u32))| (60 * minute, 0, *path, *referrer, 200);
    found(&(0..).zip(asked).map(at).collect::<Vec<_>>())
}

#[test]
fn no_requests_make_no_visits() {
    assert_eq!(found(&[]), Visits::default());
}

/// If a log names pages, endings, times and failures do not matter.
#[test]
fn told_pages_are_taken_as_they_are() {
    let asked = [
        (0, 0, 1, UNKNOWN, 500),
        (1, 0, 150, UNKNOWN, 200),
        (30, 0, 1, UNKNOWN, 200),
        (31, 0, 2, UNKNOWN, 200),
        (50, 0, 2, UNKNOWN, 200),
        (60, 1, 150, UNKNOWN, 200),
    ];
    let known = [0, 1, 2, 2, 2, 0];
    let visits = found_told(&RULES, &asked, &known);
    assert_eq!(visits.retry, [false; 6]);
    assert_eq!(visits.page, [0, 1, 2, 2, 2, 3]);
    assert_eq!(visits.base, [0, 1, 2, 5]);
    assert_eq!(visits.embedded, [false, false, false, true, true, false]);
    assert_eq!(visits.previous, [NONE, 0, 1, NONE]);
    assert_eq!(visits.end_s[2], 50.1);
    let apart = found_told(&Rules { pages: false, ..RULES }, &asked, &known);
    assert_eq!(apart.base, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn one_request_is_a_session_a_page_and_a_journey() {
    let one = found(&[(5, 7, 3, UNKNOWN, 200)]);
    let expected = Visits {
        order: vec![0],
        session: vec![0],
        retry: vec![false],
        embedded: vec![false],
        page: vec![0],
        base: vec![0],
        previous: vec![NONE],
        opener: vec![NONE],
        journey: vec![0],
        start_s: vec![0.0],
        end_s: vec![100_000.0 * 1e-6],
        failed: vec![false],
    };
    assert_eq!(one, expected);
}

#[test]
fn users_are_taken_one_by_one_and_long_gaps_end_sessions() {
    let visits = found(&[
        (0, 1_000_000, 1, UNKNOWN, 200),
        (1, 0, 2, UNKNOWN, 200),
        (1700, 1_000_000, 3, UNKNOWN, 200),
        (1802, 0, 4, UNKNOWN, 200),
    ]);
    assert_eq!(visits.order, [1, 3, 0, 2]);
    assert_eq!(visits.session, [0, 1, 2, 2]);
    assert_eq!(visits.previous, [NONE, NONE, NONE, 2]);
}

#[test]
fn objects_belong_to_the_page_of_their_referrer() {
    let visits = found(&[
        (0, 0, 1, UNKNOWN, 200),
        (1, 0, 2, 1, 200),
        (2, 0, 100, 1, 200),
        (3, 0, 101, UNKNOWN, 200),
        (30, 0, 102, UNKNOWN, 200), // long after all else, and from no page
        (50, 0, 103, 2, 200),
    ]);
    assert_eq!(visits.page, [0, 1, 0, 1, 2, 1]);
    assert_eq!(visits.embedded, [false, false, true, true, false, true]);
    let tenths: Vec<_> = visits.end_s.iter().map(|end_s| (end_s * 10.0).round()).collect();
    assert_eq!(tenths, [21.0, 501.0, 301.0]);
}

#[test]
fn pages_come_before_what_they_embed_in_the_same_second() {
    let asked = [(0, 0, 100, 1, 200), (0, 0, 1, UNKNOWN, 200), (1, 0, 101, 1, 200)];
    let coarse = Rules { resolution_s: 1.0, ..RULES };
    let visits = found_by(&coarse, &asked);
    assert_eq!(visits.order, [1, 0, 2]);
    assert_eq!(visits.page, [0, 0, 0]);
    assert_eq!(found_by(&Rules { pages: false, ..coarse }, &asked).base, [0, 1, 2]);
}

#[test]
fn the_same_again_after_a_failure_is_a_retry() {
    let visits = found(&[
        (0, 0, 1, UNKNOWN, 503),
        (2, 0, 2, UNKNOWN, 200),
        (4, 0, 1, UNKNOWN, 200), // another attempt, at the page before the last
        (6, 0, 1, UNKNOWN, 503), // again, but the previous one did not fail
        (67, 0, 1, UNKNOWN, 200), // too late
    ]);
    assert_eq!(visits.retry, [false, false, true, false, false]);
    assert_eq!(visits.page, [0, 1, 0, 2, 3]);
    assert_eq!(visits.failed, [false, false, true, false]);
}

#[test]
fn what_comes_at_once_with_its_page_as_referrer_is_a_call() {
    let asked = |times: i64| -> Vec<Asked> {
        let one = |time| [(time, 0, 1, UNKNOWN, 200), (time, 0, 2, 1, 200)];
        (0..times).flat_map(|at| one(100 * at)).collect()
    };
    assert_eq!(found(&asked(20)).base.len(), 20);
    assert_eq!(found(&asked(19)).base.len(), 2 * 19);
}

#[test]
fn what_comes_while_another_request_is_under_way_is_a_call_where_screens_have_an_order() {
    let asked = |users: u32| -> Vec<Asked> {
        let one = |user| {
            let time = i64::from(user) * 100;
            [(time, user, 1, UNKNOWN, 200), (time, user, 2, UNKNOWN, 200)]
        };
        (0..users).flat_map(one).collect()
    };
    assert_eq!(found(&asked(20)).base.len(), 20);
    assert_eq!(found(&asked(19)).base.len(), 2 * 19);
    let coarse = Rules { resolution_s: 1.0, ..RULES };
    assert_eq!(found_by(&coarse, &asked(20)).base.len(), 2 * 20);
    // Only such calls: no screen begins with another request.
    let mut same = asked(20);
    same.iter_mut().for_each(|one| one.2 = 1);
    assert_eq!(found(&same).base.len(), 2 * 20);
}

#[test]
fn a_page_is_led_to_by_the_last_one_that_is_free() {
    // Two people at page 7, then each continues.
    let two = pages(&[(7, UNKNOWN), (7, UNKNOWN), (1, 7), (2, 7)]);
    assert_eq!(two.previous, [NONE, NONE, 1, 0]);
    // Page 9 was not requested: the previous one led there.
    assert_eq!(pages(&[(7, UNKNOWN), (8, 7), (3, 9)]).previous, [NONE, 0, 1]);
    // A page again and again.
    assert_eq!(pages(&[(7, UNKNOWN), (7, 7), (7, 7)]).previous, [NONE, 0, 1]);
}

#[test]
fn who_goes_back_goes_on_from_there() {
    let navigation = navigation_of(&[NONE, 0, 0, 2]);
    assert_eq!(navigation.previous, [NONE, 0, 1, 2]);
    assert_eq!(navigation.opener, [NONE; 4]);
    assert_eq!(navigation.heads(), [0; 4]);
}

#[test]
fn a_tab_runs_beside() {
    let navigation = navigation_of(&[NONE, 0, 0, 1, 2]);
    assert_eq!(navigation.previous, [NONE, 0, NONE, 1, 2]);
    assert_eq!(navigation.opener, [NONE, NONE, 0, NONE, NONE]);
    assert_eq!(navigation.heads(), [0, 0, 2, 0, 2]);
}

#[test]
fn columns_of_different_logs_are_refused() {
    let (time_ns, some, status) = ([0, 1], [0, 1], [200, 200]);
    let requests = Requests {
        time_ns: &time_ns,
        duration_us: &some,
        user: &some,
        path: &some,
        referrer: &some,
        status: &status,
        page: &[],
    };
    let wrong = |requests, objects: &[bool], templates: &[u32]| {
        let paths = Paths { objects, templates };
        find_visits(requests, paths, &RULES).expect_err("wrong").to_string()
    };
    let short = Requests { user: &some[..1], ..requests };
    assert!(wrong(short, &[false; 2], &[0; 2]).contains("[2, 1, 2, 2, 2, 2]"));
    assert!(wrong(requests, &[false; 2], &[0; 1]).contains("not 1"));
    assert!(wrong(requests, &[false; 1], &[0; 1]).contains("no path 1"));
    assert!(wrong(requests, &[false; 2], &[0, 2]).contains("template 2"));
}

fn some_requests() -> impl Strategy<Value = Vec<Asked>> {
    let path = prop_oneof![0..5_u32, 98..102_u32];
    let referrer = prop_oneof![Just(UNKNOWN), 0..5_u32, Just(150), Just(1_000_000)];
    let status = prop_oneof![Just(200_u16), Just(0), Just(429), Just(503), Just(404)];
    let one = (0..9_i64, prop_oneof![Just(0_u32), Just(u32::MAX)], path, referrer, status);
    prop::collection::vec(one, 0..60).prop_map(|mut asked| {
        let mut now = 0;
        for one in &mut asked {
            now += one.0 * one.0 * one.0;
            one.0 = now;
        }
        asked
    })
}

proptest! {
    /// A property of all inputs: each row has a page of its session, and earlier pages lead to
    /// later ones.
    #[test]
    fn visits_hold_together(
        asked in some_requests(),
        pages in any::<bool>(),
        timeout_s in 1.0..900.0,
    ) {
        let visits = found_by(&Rules { timeout_s, resolution_s: 1.0, pages }, &asked);
        let mut order = visits.order.clone();
        order.sort_unstable();
        prop_assert!(order.iter().copied().eq(0..asked.len() as u32));
        let session = |page: u32| visits.session[visits.base[page as usize] as usize];
        for (row, page) in visits.page.iter().enumerate() {
            prop_assert_eq!(session(*page), visits.session[row]);
            prop_assert!(visits.base[*page as usize] as usize <= row);
            let base = visits.base[*page as usize] as usize == row;
            let parts = [base, visits.retry[row], visits.embedded[row]];
            prop_assert_eq!(parts.into_iter().filter(|part| *part).count(), 1);
        }
        for page in 0..visits.base.len() as u32 {
            let at = page as usize;
            let (previous, opener) = (visits.previous[at], visits.opener[at]);
            prop_assert!(previous == NONE || opener == NONE);
            for before in [previous, opener].into_iter().filter(|before| *before != NONE) {
                prop_assert!(before < page && session(before) == session(page));
            }
            let head = if previous == NONE { page } else { visits.journey[previous as usize] };
            prop_assert_eq!(visits.journey[at], head);
            prop_assert!(visits.start_s[at] <= visits.end_s[at]);
        }
        let mut named: Vec<_> = visits.previous.iter().filter(|page| **page != NONE).collect();
        named.sort_unstable();
        prop_assert!(named.is_sorted_by(|one, next| one < next), "a page leads to one at most");
    }
}
