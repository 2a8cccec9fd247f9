//! Tests of the readers and writers from their callers' view.

mod hostile;
mod requests;
mod responses;

use super::*;

/// Cuts bytes into pieces of this many bytes each.
fn pieces(bytes: &[u8], size: usize) -> Vec<&[u8]> {
    bytes.chunks(size).collect()
}

/// Reads one response from pieces, ended by a close: the response and the bytes used.
fn read_response(pieces: &[&[u8]], head_only: bool) -> Result<(Response, usize), ProtocolError> {
    let mut reader = ResponseReader::new();
    reader.expect(head_only);
    let mut total = 0;
    for piece in pieces {
        match reader.read(piece)? {
            ResponseProgress::NeedMore => total += piece.len(),
            ResponseProgress::Complete { response, used } => {
                assert!(used <= piece.len());
                assert!(!reader.started());
                return Ok((response, total + used));
            }
        }
        assert_eq!(reader.started(), total > 0);
    }
    reader.end_of_stream().map(|response| (response, total))
}

/// Reads one request from pieces: the request, the bytes used and the number of permissions to send
/// the body.
fn read_request(
    pieces: &[&[u8]],
    names: &[&str],
) -> Result<Option<(Request, usize, usize)>, ProtocolError> {
    read_request_by(Rules::Lenient, pieces, names)
}

fn read_request_by(
    rules: Rules,
    pieces: &[&[u8]],
    names: &[&str],
) -> Result<Option<(Request, usize, usize)>, ProtocolError> {
    let mut reader = RequestReader::by(rules, names);
    let (mut total, mut continues) = (0, 0);
    for piece in pieces {
        match reader.read(piece)? {
            RequestProgress::NeedMore { continue_expected } => {
                total += piece.len();
                continues += usize::from(continue_expected);
            }
            RequestProgress::Complete { request, used } => {
                assert!(used <= piece.len());
                return Ok(Some((request, total + used, continues)));
            }
        }
    }
    Ok(None)
}
