//! The lines of Django's development server. Only those of ASGI have the client's address. Their
//! times are those of answers, in the zone of the settings, which they do not name: they are read
//! as UTC.

use super::FormatEntry;
use super::layout_format::first_fitting;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "django",
    summary: "Django's development server with ASGI (Daphne)",
    source: "https://docs.djangoproject.com/en/stable/ref/django-admin/#runserver",
    example: include_str!("examples/django.log"),
    argument: None,
    open: |head, wanted| first_fitting(&[ASGI, WSGI], true, head, wanted),
};

const ASGI: &str = "[{any_time}] HTTP {method} {url} {status} [{duration_s}, {address_port}]";
/// Without an address.
const WSGI: &str = "[{any_time}] \"{request}\" {status} {bytes_or_dash}";
