use super::*;

/// 30 August 2015, 12:36, when the requests of the test suite are signed.
const SUITE_DATE_S: i64 = 1_440_938_160;
const EMPTY_HASH: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// The credentials of AWS's test suite.
fn of_suite() -> Signer {
    Signer {
        region: "us-east-1".to_owned(),
        service: "service".to_owned(),
        key: "AKIDEXAMPLE".to_owned(),
        secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".to_owned(),
        token: None,
        hashed: false,
        plain_paths: false,
        of_day: None,
    }
}

/// The credentials of the examples in S3's documentation.
fn of_s3() -> Signer {
    Signer {
        service: "s3".to_owned(),
        key: "AKIAIOSFODNN7EXAMPLE".to_owned(),
        secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned(),
        hashed: true,
        plain_paths: true,
        ..of_suite()
    }
}

/// The fields of a request when it is signed.
fn signed(
    mut signer: Signer,
    date_s: i64,
    line: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Vec<(String, String)> {
    let (method, target) = line.split_once(' ').unwrap();
    let host = if signer.hashed && signer.plain_paths {
        "examplebucket.s3.amazonaws.com"
    } else {
        "example.amazonaws.com"
    };
    let request = RequestHead { method, host, target, headers, body: body.as_bytes() };
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    signer.with(&request, date_s, |made| made.headers.iter().map(owned).collect())
}

fn signature(fields: &[(String, String)]) -> &str {
    let (_, value) = fields.iter().find(|(name, _)| name == "Authorization").unwrap();
    value.split_once("Signature=").unwrap().1
}

/// The requests of the suite without bodies, each with its fields and its signature: `v4` of
/// <https://github.com/awslabs/aws-c-auth/tree/495329c/tests/aws-signing-test-suite>, except the
/// one with a value of several lines, which is obsolete.
const VECTORS: &str = include_str!("vectors.txt");

#[test]
fn signatures_are_those_of_the_test_suite_of_aws() {
    let mut lines = VECTORS.lines();
    let mut count = 0;
    while let Some(line) = lines.next() {
        let mut headers: Vec<(&str, &str)> = Vec::new();
        let expected = loop {
            match lines.next().unwrap() {
                field if field.starts_with("= ") => break &field[2..],
                field => headers.push(field.split_once(':').unwrap()),
            }
        };
        let fields = signed(of_suite(), SUITE_DATE_S, line, &headers, "");
        assert_eq!(signature(&fields), expected, "{line} {headers:?}");
        // Unsigned fields change nothing, nor does a given host or date.
        for more in [
            ("User-Agent", "x"),
            ("Connection", "close"),
            ("Host", "example.amazonaws.com"),
            ("x-amz-date", "20160830T123600Z"),
        ] {
            let headers: Vec<_> = headers.iter().copied().chain([more]).collect();
            let fields = signed(of_suite(), SUITE_DATE_S, line, &headers, "");
            assert_eq!(signature(&fields), expected, "{line} {headers:?}");
        }
        count += 1;
    }
    assert_eq!(count, 22);
}

#[test]
fn bodies_and_session_tokens_are_signed_as_in_the_suite() {
    let form = "application/x-www-form-urlencoded";
    for (kind, expected) in [
        (form.to_owned(), "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b"),
        (
            format!("{form}; charset=utf-8"),
            "328d1b9eaadca9f5818ef05e8392801e091653bafec24fcab71e7344e7f51422",
        ),
    ] {
        let signer = Signer { hashed: true, ..of_suite() };
        let headers = [("Content-Type", kind.as_str()), ("Content-Length", "13")];
        let fields = signed(signer, SUITE_DATE_S, "POST /", &headers, "Param1=value1");
        assert_eq!(signature(&fields), expected, "{kind}");
    }
    let token = "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267";
    let signer = Signer { token: Some(token.to_owned()), ..of_suite() };
    let fields = signed(signer, SUITE_DATE_S, "GET /", &[("x-amz-security-token", "old")], "");
    let expected = "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8";
    assert_eq!(signature(&fields), expected);
    let named = |(name, _): &&(String, String)| name.eq_ignore_ascii_case(SECURITY_TOKEN);
    assert_eq!(fields.iter().filter(named).count(), 1);
}

/// The examples of
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html>.
#[test]
fn signatures_are_those_of_the_documentation_of_s3() {
    let date_s = 1_369_353_600;
    let range: &[(&str, &str)] = &[("Range", "bytes=0-9")];
    let stored: &[(&str, &str)] =
        &[("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")];
    let put = "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd";
    for (line, headers, body, expected) in [
        (
            "GET /test.txt",
            range,
            "",
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        ),
        ("PUT /test$file.text", stored, "Welcome to Amazon S3.", put),
        ("PUT /test%24file.text", stored, "Welcome to Amazon S3.", put),
        (
            "GET /?lifecycle",
            &[],
            "",
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
        ),
        (
            "GET /?max-keys=2&prefix=J",
            &[],
            "",
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
        ),
    ] {
        let fields = signed(of_s3(), date_s, line, headers, body);
        assert_eq!(signature(&fields), expected, "{line}");
    }
    let fields = signed(of_s3(), date_s, "GET /", &[], "");
    assert!(fields.contains(&(CONTENT_HASH.to_owned(), EMPTY_HASH.to_owned())));
    let unsigned = [("x-amz-content-sha256", "UNSIGNED-PAYLOAD")];
    let fields = signed(of_s3(), date_s, "PUT /", &unsigned, "body");
    let named = |(name, _): &&(String, String)| name.eq_ignore_ascii_case(CONTENT_HASH);
    assert_eq!(fields.iter().filter(named).count(), 1);
}

#[test]
fn the_key_is_that_of_the_day() {
    let mut signer = of_suite();
    let request = RequestHead {
        method: "GET",
        host: "example.amazonaws.com",
        target: "/",
        headers: &[],
        body: &[],
    };
    let mut at = |date_s| {
        signer.with(&request, date_s, |made| {
            made.headers.iter().map(|(_, value)| (*value).to_owned()).collect::<Vec<_>>()
        })
    };
    let (first, other) = (at(SUITE_DATE_S), at(SUITE_DATE_S + 86_400));
    assert!(first[1].contains("/20150830/us-east-1/service/aws4_request"), "{first:?}");
    assert!(other[1].contains("/20150831/us-east-1/service/aws4_request"), "{other:?}");
    assert_ne!(first[1], other[1]);
    assert_eq!(at(SUITE_DATE_S), first);
}

/// By `date -u --date=@N +%Y%m%dT%H%M%SZ` of coreutils.
#[test]
fn dates_are_those_of_the_calendar() {
    for (date_s, expected) in [
        (0, "19700101T000000Z"),
        (SUITE_DATE_S, "20150830T123600Z"),
        (951_782_399, "20000228T235959Z"),
        (951_782_400, "20000229T000000Z"),
        (4_107_542_399, "21000228T235959Z"),
        (4_107_542_400, "21000301T000000Z"),
        (1_735_689_599, "20241231T235959Z"),
    ] {
        assert_eq!(written(date_s), expected);
    }
}
