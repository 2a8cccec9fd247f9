//! Keys that are in a table twice, because one of them is a part of the other.

/// The remedy if a key has both a value for everything and others by name, as in `demand` and
/// `demand.search`: TOML refuses the second of them without an explanation. `message` is its text
/// about this line, counted from 1.
pub(super) fn one_or_each(text: &str, line: usize, message: &str) -> Option<String> {
    let above = line.checked_sub(1)?;
    let wrong = key(text.lines().nth(above)?)?;
    let (one, named) = match wrong.rsplit_once('.') {
        Some((one, _)) if message.starts_with("cannot extend value of type") => (one, wrong),
        None if message.starts_with("duplicate key") => (wrong, named_above(text, above, wrong)?),
        _ => return None,
    };
    Some(format!(
        "`{one}` is given as one value and by name: write either `{one} = ...`, for everything, or \
         `{one}.NAME = ...` for each name, as in `{named}`"
    ))
}

/// The key of a line that has a value.
fn key(line: &str) -> Option<&str> {
    Some(line.split_once('=')?.0.trim())
}

/// The last key in the table at the end of this many lines that begins with `one`.
fn named_above<'a>(text: &'a str, lines: usize, one: &str) -> Option<&'a str> {
    let lines: Vec<&str> = text.lines().take(lines).collect();
    let of_table = lines.iter().rev().take_while(|line| !line.trim_start().starts_with('['));
    let named = |key: &&str| key.strip_prefix(one).is_some_and(|rest| rest.starts_with('.'));
    of_table.filter_map(|line| key(line)).find(named)
}

#[cfg(test)]
mod tests {
    use crate::schema::Source;
    use crate::system::SystemFile;

    fn refusal(station: &str) -> String {
        let text = format!(
            "name = \"s\"\n[[cluster]]\nname = \"web\"\nservers = 2\ndispatch = \"jsq\"\n\
             [[cluster.station]]\nname = \"cpu\"\n{station}\n"
        );
        SystemFile::read(&Source { file: "s.toml", text: &text }).unwrap_err().to_string()
    }

    #[test]
    fn one_demand_and_others_by_name_are_told_what_is_right() {
        let right = "s.toml:9: `demand` is given as one value and by name: write either \
                     `demand = ...`, for everything, or `demand.NAME = ...` for each name, as in \
                     `demand.search`";
        assert_eq!(refusal("demand = \"1ms\"\ndemand.search = \"2ms\""), right);
        assert_eq!(refusal("demand.search = \"2ms\"\ndemand = \"1ms\""), right);
    }

    #[test]
    fn what_is_only_there_twice_is_said_to_be() {
        let twice = refusal("demand = \"1ms\"\ndemand = \"2ms\"");
        assert_eq!(twice, "s.toml:9: duplicate key");
        assert_eq!(refusal("demand.a = \"1ms\"\ndemand.a = \"2ms\""), twice);
    }
}
