use super::*;

fn pages(previous: &[i32], kind: &[i32], start_s: &[f64]) -> Steps {
    let mut journey: Vec<i32> = Vec::new();
    for (page, before) in (0..).zip(previous) {
        journey.push(if *before < 0 { page } else { journey[*before as usize] });
    }
    let failed = vec![false; previous.len()];
    let pages = Pages { previous, journey: &journey, kind, start_s, failed: &failed };
    steps(&pages, 2, 1000.0).unwrap()
}

#[test]
fn steps_are_counted_by_kind_and_journeys_by_pages() {
    let found = pages(&[-1, 0, -1, 1], &[0, 1, 0, 1], &[0.0, 10.0, 20.0, 40.0]);
    assert_eq!(found.visited, [2, 2]);
    assert_eq!(found.first, [2, 0]);
    assert_eq!(found.next, [0, 1, 0, 0, 1, 0]);
    assert_eq!(found.lengths, [0, 1, 0, 1]);
}

#[test]
fn what_the_end_cuts_off_is_not_judged() {
    // The longest wait is 100 s; closer to the end nothing is known.
    let found = pages(&[-1, 0, -1, -1], &[0, 1, 0, 1], &[0.0, 100.0, 500.0, 950.0]);
    assert_eq!((found.edge_s, found.cut), (100.0, 1));
    assert_eq!(found.judged_next, [0, 1, 1, 0, 0, 1]);
    assert_eq!(found.judged_first, [1, 1]);
    assert_eq!((&found.seen[..], &found.ended[..]), (&[0, 1][..], &[0, 1][..]));
}

#[test]
fn think_times_are_from_the_end_of_a_page() {
    let found =
        think_times(&[-1, 0, -1], &[-1, -1, 1], &[0.0, 5.0, 6.0], &[2.0, 7.0, 6.0]).unwrap();
    let expected = ThinkTimes { think_s: vec![3.0, 0.0], page: vec![0, 1], early: 1 };
    assert_eq!(found, expected);
}

const PLAIN: KindColumns<'_> = KindColumns {
    path: &[0, 1, 0, 2],
    method: &[0, 0, 2, 0],
    user: &[0, 1, 2, 2],
    embedded: &[false, false, false, true],
    counted: &[true, true, true, false],
    templates: &[0, 0, 1],
};

#[test]
fn requests_have_codes_of_their_template_method_and_place() {
    let requests = PLAIN.requests();
    let used: Vec<_> = (0..requests.len()).filter(|code| requests[*code] > 0).collect();
    assert_eq!(used, [0, 4]);
    assert_eq!(PLAIN.by_many(&[0, 4, 17], &[], 2), [true, false, false]);
    assert_eq!(PLAIN.by_many(&[0, 4, 17], &[5, 5, 5], 2), [false; 3]);
    let kinds = PLAIN.kinds(&[0], [1, 2]);
    assert_eq!(kinds, [0, 0, 1, 2]);
    let members = PLAIN.members(&kinds, 3);
    assert_eq!((&members[0].path[..], &members[0].requests[..]), (&[0, 1][..], &[1, 1][..]));
    assert_eq!(members[2], Members::default());
}

#[test]
fn answers_are_counted_by_status_and_sizes_by_path() {
    let status = [200, 404, 206, 200, 200];
    let found =
        answers(&[0, 0, 0, -1, 1], &[1, 1, 0, 0, 1], &[5, 7, 9, 1, u32::MAX], &status, (2, 2));
    let found = found.unwrap();
    assert_eq!(
        (&found[0].status[..], &found[0].answers[..]),
        (&[200, 206, 404][..], &[1, 1, 1][..])
    );
    assert_eq!((&found[0].path[..], &found[0].bytes[..]), (&[0, 1][..], &[9, 5][..]));
    assert_eq!((found[0].least, found[0].largest), (5, 9));
    assert_eq!((found[1].path.len(), found[1].largest), (0, 0));
}

#[test]
fn columns_that_do_not_go_together_are_refused() {
    let wrong = KindColumns { method: &[0], ..PLAIN };
    assert!(wrong.check().is_err());
    assert!(KindColumns { path: &[0, 1, 0, 3], ..PLAIN }.check().is_err());
    assert!(KindColumns { method: &[0, 0, 8, 0], ..PLAIN }.check().is_err());
    assert!(think_times(&[0, 7], &[-1, -1], &[0.0; 2], &[0.0; 2]).is_err());
    assert!(answers(&[0], &[2], &[0], &[200], (1, 2)).is_err());
    let none =
        Pages { previous: &[-1], journey: &[0], kind: &[3], start_s: &[0.0], failed: &[false] };
    assert!(steps(&none, 2, 1.0).is_err());
}
