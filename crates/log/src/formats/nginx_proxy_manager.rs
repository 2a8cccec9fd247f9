//! Nginx Proxy Manager's log of a proxy host. Its times are those of the requests' ends.

use super::FormatEntry;
use super::layout_format::first_fitting;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "nginx-proxy-manager",
    summary: "Nginx Proxy Manager, its proxy hosts' access logs",
    source: concat!(
        "https://github.com/NginxProxyManager/nginx-proxy-manager/blob/develop/docker/rootfs/etc/",
        "nginx/nginx.conf"
    ),
    example: include_str!("examples/nginx-proxy-manager.log"),
    argument: None,
    open: |head, wanted| first_fitting(&[LINE], true, head, wanted),
};

const LINE: &str = concat!(
    "[{clf}] {-upstream_cache_status} {-upstream_status} {status} - {method} {-scheme} {host} ",
    "\"{url}\" [Client {address}] [Length {bytes}] [Gzip {-gzip_ratio}] [Sent-to {-server}] ",
    "\"{agent}\" \"{referrer}\"",
);
