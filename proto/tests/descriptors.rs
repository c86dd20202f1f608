//! The protos keep their promises: everything is commented, and enums start with an unspecified value.

use prost::Message;
use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorProto, FileDescriptorSet};

fn own_files() -> Vec<FileDescriptorProto> {
    let set = FileDescriptorSet::decode(parley_proto::DESCRIPTORS).expect("a descriptor set");
    set.file.into_iter().filter(|file| file.package().starts_with("parley.")).collect()
}

/// The paths of all elements of a file that must have a comment, with their names.
fn elements(file: &FileDescriptorProto) -> Vec<(Vec<i32>, String)> {
    let mut found = Vec::new();
    for (i, message) in (0..).zip(&file.message_type) {
        collect_message(vec![4, i], message, &mut found);
    }
    for (i, list) in (0..).zip(&file.enum_type) {
        collect_enum(vec![5, i], list, &mut found);
    }
    for (i, service) in (0..).zip(&file.service) {
        for (j, method) in (0..).zip(&service.method) {
            found.push((vec![6, i, 2, j], format!("{}.{}", service.name(), method.name())));
        }
        found.push((vec![6, i], service.name().to_owned()));
    }
    found
}

fn collect_message(path: Vec<i32>, message: &DescriptorProto, found: &mut Vec<(Vec<i32>, String)>) {
    for (i, field) in (0..).zip(&message.field) {
        found.push(([&path[..], &[2, i]].concat(), format!("{}.{}", message.name(), field.name())));
    }
    for (i, nested) in (0..).zip(&message.nested_type) {
        collect_message([&path[..], &[3, i]].concat(), nested, found);
    }
    for (i, list) in (0..).zip(&message.enum_type) {
        collect_enum([&path[..], &[4, i]].concat(), list, found);
    }
    let choices = message.oneof_decl.iter().filter(|choice| !choice.name().starts_with('_'));
    for (i, choice) in (0..).zip(choices) {
        found.push(([&path[..], &[8, i]].concat(), format!("{}.{}", message.name(), choice.name())));
    }
    found.push((path, message.name().to_owned()));
}

fn collect_enum(path: Vec<i32>, list: &EnumDescriptorProto, found: &mut Vec<(Vec<i32>, String)>) {
    for (i, value) in (0..).zip(&list.value) {
        found.push(([&path[..], &[2, i]].concat(), format!("{}.{}", list.name(), value.name())));
    }
    found.push((path, list.name().to_owned()));
}

#[test]
fn everything_is_commented() {
    let (mut count, mut calls) = (0, 0);
    for file in own_files() {
        let info = file.source_code_info.as_ref().expect("comments are kept");
        for (path, name) in elements(&file) {
            let location = info.location.iter().find(|location| location.path == path);
            let comment = location.map_or("", |location| location.leading_comments());
            assert!(comment.trim().len() > 3, "{}: {name} has no comment", file.name());
            count += 1;
            calls += usize::from(path.len() == 4 && path[0] == 6);
        }
    }
    assert!(count > 500, "only {count} elements were found");
    assert!(calls > 20, "only {calls} calls were found");
}

#[test]
fn enums_begin_unspecified() {
    for list in own_files().iter().flat_map(|file| &file.enum_type) {
        let first = list.value.first().expect("a value");
        assert!(first.number() == 0 && first.name().ends_with("_UNSPECIFIED"), "{}", list.name());
    }
}
