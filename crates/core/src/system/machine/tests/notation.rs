//! The notation of steps.

/// The steps of a line, as TOML.
pub(super) fn steps_of(line: &str) -> String {
    let mut steps = Vec::new();
    for part in split(line, ',') {
        let part = part.trim();
        if let Some(parts) = part.strip_prefix('(') {
            let parts = split(parts.strip_suffix(')').expect("closed"), '|');
            let parts: Vec<String> =
                parts.iter().map(|one| format!("[{}]", steps_of(one))).collect();
            steps.push(format!("{{ fork = [{}] }}", parts.join(", ")));
            continue;
        }
        steps.push(match part.split_once(' ') {
            None => format!("{{ use = 'm', demand = '{}' }}", time(part)),
            Some(("sleep", length)) => format!("{{ delay = '{}' }}", time(length)),
            Some(("disk", length)) => format!("{{ delay = '{}', disk = true }}", time(length)),
            Some(("take", pool)) => format!("{{ acquire = '{pool}' }}"),
            Some(("give", pool)) => format!("{{ release = '{pool}' }}"),
            Some((service, demand)) => {
                format!("{{ use = '{service}', demand = '{}' }}", time(demand))
            }
        });
    }
    steps.join(", ")
}

/// A plain number is in milliseconds; any other text is a time as in files.
fn time(text: &str) -> String {
    if text.parse::<f64>().is_ok() { format!("{text}ms") } else { text.to_owned() }
}

/// Splits outside of parentheses.
fn split(line: &str, by: char) -> Vec<String> {
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for letter in line.chars() {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        if letter == by && depth == 0 {
            parts.push(String::new());
        } else {
            parts.last_mut().unwrap().push(letter);
        }
    }
    parts
}
