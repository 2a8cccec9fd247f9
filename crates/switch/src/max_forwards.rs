//! The number of servers that a request about the path itself may pass (RFC 9110, section 7.6.2).

use bytes::Bytes;
use hyper::header::{
    ALLOW, AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderMap, HeaderValue, MAX_FORWARDS,
    PROXY_AUTHORIZATION,
};
use hyper::{Method, Request, Response, StatusCode};

use crate::download::Download;
use crate::refusal::Refusal;

/// The outcome for a request.
const ALLOWED: HeaderValue =
    HeaderValue::from_static("GET, HEAD, POST, PUT, DELETE, OPTIONS, TRACE, PATCH");

/// The answer to a request at its last hop; else the number is counted down.
///
/// # Errors
/// If the field is no number.
pub(crate) fn answer<B>(request: &mut Request<B>) -> Result<Option<Response<Download>>, Refusal> {
    let traced = request.method() == Method::TRACE;
    if !traced && request.method() != Method::OPTIONS {
        return Ok(None);
    }
    let Some(left) = hops_left(request.headers())? else { return Ok(None) };
    if let Some(left) = left.checked_sub(1) {
        request.headers_mut().insert(MAX_FORWARDS, HeaderValue::from(left));
        return Ok(None);
    }
    let text = if traced { Bytes::from(reflected(request)) } else { Bytes::new() };
    let mut response = Response::new(Download::Own(Some(text).filter(|text| !text.is_empty())));
    if traced {
        let kind = HeaderValue::from_static("message/http");
        response.headers_mut().insert(CONTENT_TYPE, kind);
    } else {
        *response.status_mut() = StatusCode::NO_CONTENT;
        response.headers_mut().insert(ALLOW, ALLOWED);
    }
    Ok(Some(response))
}

/// The number of servers that it may still pass. A number that is too large becomes the largest.
fn hops_left(fields: &HeaderMap) -> Result<Option<u64>, Refusal> {
    let mut said = fields.get_all(MAX_FORWARDS).iter();
    let Some(value) = said.next() else { return Ok(None) };
    let digits = value.to_str().unwrap_or_default();
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || said.next().is_some() {
        return Err(Refusal(400, "the request's Max-Forwards is no number"));
    }
    Ok(Some(digits.parse().unwrap_or(u64::MAX)))
}

/// The head of a request, without private fields.
fn reflected<B>(request: &Request<B>) -> Vec<u8> {
    let (method, uri, version) = (request.method(), request.uri(), request.version());
    let mut text = format!("{method} {uri} {version:?}\r\n").into_bytes();
    for (name, value) in request.headers() {
        if ![AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION].contains(name) {
            for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
                text.extend_from_slice(part);
            }
        }
    }
    text.extend_from_slice(b"\r\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request_with(method: Method, said: &[&str]) -> Request<()> {
        let mut request = Request::new(());
        *request.method_mut() = method;
        for value in said {
            let value = HeaderValue::from_str(value).unwrap();
            request.headers_mut().append(MAX_FORWARDS, value);
        }
        request
    }

    fn counted(method: Method, said: &str) -> String {
        let mut request = request_with(method, &[said]);
        assert!(answer(&mut request).unwrap().is_none());
        request.headers()[MAX_FORWARDS].to_str().unwrap().to_owned()
    }

    #[test]
    fn what_asks_for_the_way_is_counted_down() {
        assert_eq!(counted(Method::OPTIONS, "10"), "9");
        assert_eq!(counted(Method::TRACE, "1"), "0");
        let most = (u64::MAX - 1).to_string();
        assert_eq!(counted(Method::TRACE, "99999999999999999999999"), most);
        assert_eq!(counted(Method::GET, "0"), "0");
        assert_eq!(counted(Method::GET, "none"), "none");
        assert!(answer(&mut request_with(Method::TRACE, &[])).unwrap().is_none());
    }

    #[test]
    fn it_goes_no_further_than_it_may() {
        let mut request = request_with(Method::TRACE, &["0"]);
        request.headers_mut().insert(COOKIE, HeaderValue::from_static("secret"));
        let Some(response) = answer(&mut request).unwrap() else { panic!("it goes on") };
        assert_eq!((response.status(), &response.headers()[CONTENT_TYPE]).0, StatusCode::OK);
        assert_eq!(reflected(&request), b"TRACE / HTTP/1.1\r\nmax-forwards: 0\r\n\r\n");
        let Some(response) = answer(&mut request_with(Method::OPTIONS, &["00"])).unwrap() else {
            panic!("it goes on")
        };
        assert_eq!(response.status(), StatusCode::NO_CONTENT);
        assert!(response.headers().contains_key(ALLOW));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for said in [&["-1"][..], &["+1"], &["1.0"], &[""], &["1, 2"], &["1", "1"]] {
            let refused = answer(&mut request_with(Method::TRACE, said)).err();
            assert_eq!(refused.map(|refusal| refusal.0), Some(400), "{said:?}");
        }
    }
}
