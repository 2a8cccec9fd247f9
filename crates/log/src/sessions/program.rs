//! Programs that ask for pages: crawlers, monitors, libraries.

/// Words by which the agents of programs are known, in small letters. Honest programs name
/// themselves; others are known by what they do.
const WORDS: [&[u8]; 36] = [
    b"bot",
    b"crawl",
    b"spider",
    b"slurp",
    b"archiv",
    b"feed",
    b"rss",
    b"fetch",
    b"curl/",
    b"wget",
    b"python-",
    b"python/",
    b"aiohttp",
    b"httpclient",
    b"http-client",
    b"httpx",
    b"libwww",
    b"lwp",
    b"java/",
    b"ruby",
    b"perl",
    b"scrapy",
    b"monitor",
    b"pingdom",
    b"uptime",
    b"statuscake",
    b"nagios",
    b"check_http",
    b"zabbix",
    b"prometheus",
    b"kube-probe",
    b"healthcheck",
    b"googlehc",
    b"validator",
    b"facebookexternalhit",
    b"+http",
];

/// Phones and browsers whose names hold such a word.
const PEOPLE: [&[u8]; 1] = [b"cubot"];

/// Whether an agent is a program's and not a person's browser.
pub(super) fn is_program(agent: &[u8]) -> bool {
    let small = agent.to_ascii_lowercase();
    let holds = |word: &&'static [u8]| memchr::memmem::find(&small, word).is_some();
    WORDS.iter().any(holds) && !PEOPLE.iter().any(holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_from_browsers() {
        for agent in [
            "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            "Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)",
            "curl/8.5.0",
            "Go-http-client/1.1",
            "ELB-HealthChecker/2.0",
            "kube-probe/1.30",
            "UniversalFeedParser/4.2-pre-314-svn +http://feedparser.org/",
        ] {
            assert!(is_program(agent.as_bytes()), "{agent}");
        }
        for agent in [
            "Mozilla/5.0 (X11; Linux x86_64; rv:27.0) Gecko/20100101 Firefox/27.0",
            "Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36 Chrome/90 Mobile Safari",
            "",
        ] {
            assert!(!is_program(agent.as_bytes()), "{agent}");
        }
    }
}
