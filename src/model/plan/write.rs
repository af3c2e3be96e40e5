//! A plan as text, in the format in which it would be read.

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

use super::{Plan, PlannedTask};
use crate::model::json::{Json, pretty};

/// A value of a plan, apart from its tasks.
enum Field<'a> {
    Text(&'a str),
    Number(i64),
    Flag(bool),
    Texts(&'a [String]),
}

type Fields<'a> = Vec<(&'static str, Field<'a>)>;

impl Plan {
    pub fn to_toml(&self) -> String {
        let mut document = DocumentMut::new();
        self.put_toml(document.as_table_mut());
        document.to_string()
    }

    /// Puts the plan into a table that may have more than a plan in it.
    pub fn put_toml(&self, table: &mut Table) {
        put(table, self.fields());
        let mut tasks = ArrayOfTables::new();
        for task in &self.tasks {
            let mut table = Table::new();
            put(&mut table, task.fields());
            tasks.push(table);
        }
        table.insert("tasks", Item::ArrayOfTables(tasks));
    }

    pub fn to_json(&self) -> String {
        let mut members = json(self.fields());
        let tasks = self.tasks.iter().map(|task| Json::Object(json(task.fields()))).collect();
        members.push(("tasks".to_owned(), Json::List(tasks)));
        pretty(&crate::model::json::Dialect::default().render(&Json::Object(members)))
    }

    fn fields(&self) -> Fields<'_> {
        let mut fields = Fields::new();
        text(&mut fields, "name", &self.name);
        text(&mut fields, "description", &self.description);
        text(&mut fields, "plan_summary", &self.plan_summary);
        fields.extend(self.max_parallel.map(|number| ("max_parallel", Field::Number(number.into()))));
        fields.extend(self.auto_workspace.map(|flag| ("auto_workspace", Field::Flag(flag))));
        text(&mut fields, "source_type", &self.source_type);
        text(&mut fields, "source_ref", &self.source_ref);
        text(&mut fields, "source_content", &self.source_content);
        fields
    }
}

impl PlannedTask {
    fn fields(&self) -> Fields<'_> {
        let mut fields: Fields<'_> = vec![("name", Field::Text(&self.name))];
        text(&mut fields, "title", &self.title);
        text(&mut fields, "description", &self.description);
        text(&mut fields, "acceptance", &self.acceptance);
        fields.extend(self.sequence.map(|number| ("sequence", Field::Number(number))));
        text(&mut fields, "parallel_group", &self.parallel_group);
        texts(&mut fields, "depends_on", &self.depends_on);
        texts(&mut fields, "informs", &self.informs);
        texts(&mut fields, "context_from", &self.context_from);
        text(&mut fields, "plan", &self.plan);
        text(&mut fields, "plan_summary", &self.plan_summary);
        text(&mut fields, "context", &self.context);
        fields.extend(self.priority.map(|priority| ("priority", Field::Number(priority.number()))));
        fields.extend(self.issue_type.as_ref().map(|kind| ("issue_type", Field::Text(kind.as_str()))));
        texts(&mut fields, "labels", &self.labels);
        text(&mut fields, "assignee", &self.assignee);
        fields.extend(self.estimate.map(|minutes| ("estimate", Field::Number(minutes))));
        text(&mut fields, "repo", &self.repo);
        fields
    }
}

fn text<'a>(fields: &mut Fields<'a>, key: &'static str, value: &'a Option<String>) {
    fields.extend(value.as_deref().map(|value| (key, Field::Text(value))));
}

fn texts<'a>(fields: &mut Fields<'a>, key: &'static str, values: &'a [String]) {
    if !values.is_empty() {
        fields.push((key, Field::Texts(values)));
    }
}

fn put(table: &mut Table, fields: Fields<'_>) {
    for (key, field) in fields {
        let item = match field {
            Field::Text(text) => value(text),
            Field::Number(number) => value(number),
            Field::Flag(flag) => value(flag),
            Field::Texts(texts) => value(texts.iter().collect::<Array>()),
        };
        table.insert(key, item);
    }
}

fn json(fields: Fields<'_>) -> Vec<(String, Json)> {
    let value = |field: Field<'_>| match field {
        Field::Text(text) => Json::Text(text.to_owned()),
        Field::Number(number) => Json::Int(number),
        Field::Flag(flag) => Json::Bool(flag),
        Field::Texts(texts) => Json::List(texts.iter().cloned().map(Json::Text).collect()),
    };
    fields.into_iter().map(|(key, field)| (key.to_owned(), value(field))).collect()
}
