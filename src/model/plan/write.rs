//! A plan as text.

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table};

use super::Plan;
use super::fields::Fields;

impl Plan {
    pub fn to_toml(&self) -> String {
        let mut document = DocumentMut::new();
        self.clone().put_toml(document.as_table_mut());
        document.to_string()
    }

    /// Puts the plan into a table that may have more than a plan in it.
    pub fn put_toml(mut self, table: &mut Table) {
        put(table, self.fields());
        let mut tasks = ArrayOfTables::new();
        for task in &mut self.tasks {
            let mut table = Table::new();
            put(&mut table, task.fields());
            tasks.push(table);
        }
        table.insert("tasks", Item::ArrayOfTables(tasks));
    }

    /// Replaces every text of the plan and of its tasks.
    pub fn replace_texts(&mut self, replace: impl Fn(&str) -> String) {
        self.fields().into_iter().for_each(|(_, slot)| slot.replace_texts(&replace));
        let fields = self.tasks.iter_mut().flat_map(|task| task.fields());
        fields.for_each(|(_, slot)| slot.replace_texts(&replace));
    }
}

fn put(table: &mut Table, fields: Fields<'_>) {
    for (key, slot) in fields {
        if let Some(item) = slot.item() {
            table.insert(key, item);
        }
    }
}
