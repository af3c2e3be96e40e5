use super::*;

#[test]
fn a_field_is_found_by_its_key() {
    for (n, field) in ALL.iter().enumerate() {
        assert_eq!((Field::of(field.key()), place_of(field.key())), (Some(*field), n), "{field:?}");
    }
    for key in ["", "text", "repo", "titles", "title ", "x", "wisp"] {
        assert_eq!((Field::of(key), place_of(key)), (None, usize::MAX), "{key}");
    }
}

/// Few keys share a slot, so one comparison usually finds the field.
#[test]
fn looking_up_takes_few_steps() {
    let steps = |n: &usize| {
        let at = SLOTS.iter().position(|slot| usize::from(*slot) == *n).unwrap();
        (at + SLOT_COUNT - slot(ROWS[*n].key.as_bytes())) % SLOT_COUNT
    };
    assert!((0..ALL.len()).map(|n| steps(&n)).sum::<usize>() <= ALL.len() / 2);
}

#[test]
fn the_table_agrees_with_itself() {
    for field in ALL {
        let row = field.row();
        if let With(head) = row.merge {
            assert_eq!(head.row().merge, Merge::Plain, "{field:?} goes with a field of its own");
            assert!((head as u8) < (*field as u8), "{field:?}: the first key gives its name to all");
        }
        let is_long = row.merge == Long || row.section.is_some();
        assert!(!is_long || row.kind == Text && row.searched.is_some(), "{field:?}: a long text is searched");
        assert!(!row.settable || matches!(row.kind, Text | Word | Person | Until | From), "{field:?}");
        assert!(row.queried.is_none_or(|(_, names)| !names.is_empty()), "{field:?}");
        let is_special = matches!(field, Field::Label | Field::Parent | Field::Project);
        let is_found = is_special || row.column.is_some() || row.searched.is_some();
        assert!(
            row.queried.is_none() || is_found,
            "{field:?} has no column and is not searched: a query finds nothing"
        );
        assert!(!row.note || !field.is_public(), "{field:?}: a note stays where it is");
    }
}
