//! Every protocol against nginx, if installed; otherwise, the tests say so and pass.
#![allow(clippy::print_stderr, reason = "tests")]

use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::support::*;
use thinktime_net::generator::{Target, TlsOptions};

const CONFIGURATION: &str = "
USER
daemon off;
worker_processes 1;
error_log DIRECTORY/error.log;
pid DIRECTORY/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path DIRECTORY/body;
  proxy_temp_path DIRECTORY/proxy;
  fastcgi_temp_path DIRECTORY/fastcgi;
  uwsgi_temp_path DIRECTORY/uwsgi;
  scgi_temp_path DIRECTORY/scgi;
  keepalive_requests 100;
  server {
    listen H2C http2;
    listen TLS ssl http2;
    listen TLS1 ssl;
    ssl_certificate DIRECTORY/own.crt;
    ssl_certificate_key DIRECTORY/own.key;
    ssl_session_cache shared:own:1m;
    root DIRECTORY;
    location = /missing { return 404; }
  }
}
";

/// A running nginx, which ends with the test.
struct Nginx {
    process: Child,
    certificate: Certificate,
    h2c: SocketAddr,
    tls: SocketAddr,
    tls1: SocketAddr,
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Its own signal for a fast end; its worker ends with it.
        Command::new("kill").arg(self.process.id().to_string()).status().unwrap();
        self.process.wait().unwrap();
    }
}

fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    folders.map(|folder| folder.join("nginx")).find(|file| file.exists())
}

fn start(name: &str) -> Option<Nginx> {
    let Some(program) = program() else {
        eprintln!("skipped: nginx is not installed");
        return None;
    };
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&directory).unwrap();
    let certificate = Certificate::new("127.0.0.1", name);
    let (own, key) = certificate.pem();
    std::fs::write(directory.join("own.crt"), own).unwrap();
    std::fs::write(directory.join("own.key"), key).unwrap();
    std::fs::write(directory.join("index.html"), "x".repeat(1024)).unwrap();
    std::fs::write(directory.join("large"), "x".repeat(3 << 20)).unwrap();
    let (h2c, tls, tls1) = (free_port(), free_port(), free_port());
    // Started by root, nginx would read the files as another user, who may not.
    let root = std::fs::metadata("/proc/self").is_ok_and(|own| {
        use std::os::unix::fs::MetadataExt;
        own.uid() == 0
    });
    let text = CONFIGURATION
        .replace("USER", if root { "user root;" } else { "" })
        .replace("DIRECTORY", directory.to_str().unwrap())
        .replace("H2C", &h2c.to_string())
        .replace("TLS1", &tls1.to_string())
        .replace("TLS", &tls.to_string());
    let file = directory.join("nginx.conf");
    std::fs::write(&file, text).unwrap();
    let mut command = Command::new(program);
    command.arg("-p").arg(&directory).arg("-c").arg(&file).stderr(Stdio::null());
    let process = command.spawn().unwrap();
    for _ in 0..500 {
        if TcpStream::connect(tls1).is_ok() {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    Some(Nginx { process, certificate, h2c, tls, tls1 })
}

#[test]
fn nginx_is_measured_by_every_protocol() {
    let Some(nginx) = start("nginx-all") else { return };
    let h2c = Target::parse(&format!("h2c://{}", nginx.h2c)).unwrap();
    let trusted = nginx.certificate.trusted();
    let older = TlsOptions { http2: false, ..trusted.clone() };
    let targets = [
        ("h2c", h2c),
        ("https, HTTP/2", https(nginx.tls, trusted.clone())),
        ("https, HTTP/1.1 by our choice", https(nginx.tls, older)),
        ("https, HTTP/1.1 by its choice", https(nginx.tls1, trusted)),
    ];
    for (name, target) in targets {
        // nginx closes each connection after 100 requests: that is no error.
        let (done, rows) = go(&closed(20, "get = '/index.html'"), &target, 2000);
        assert_eq!(done.summary.errors, 0, "{name}: {:?}", done.summary.errors_by_kind);
        assert!(rows.iter().all(|row| row.status == 200 && row.bytes_received > 1024), "{name}");
        let (done, rows) = go(&closed(3, "get = '/large'"), &target, 30);
        assert_eq!(done.summary.errors, 0, "{name}: {:?}", done.summary.errors_by_kind);
        assert!(rows.iter().all(|row| row.bytes_received > 3 << 20), "{name}");
        let (done, _) = go(&even("head = '/'"), &target, 20);
        assert_eq!(done.summary.errors, 0, "{name}: {:?}", done.summary.errors_by_kind);
        let (done, rows) = go(&even("get = '/missing'"), &target, 20);
        assert_eq!(done.summary.errors_by_kind["status"], 20, "{name}");
        assert!(rows.iter().all(|row| row.status == 404), "{name}");
    }
}
