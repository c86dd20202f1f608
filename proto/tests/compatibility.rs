//! What was released stays: clients and journals that were written against it still understand each other.
//!
//! `proto/parley.descriptors` is the vocabulary of the last release. New things may come; nothing of it may go, change
//! its number, its type or its name.

use std::collections::BTreeMap;

use prost::Message;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorSet, MethodDescriptorProto,
};

const RELEASED: &[u8] = include_bytes!("../parley.descriptors");

fn decode(bytes: &[u8]) -> FileDescriptorSet {
    let mut set = FileDescriptorSet::decode(bytes).expect("a descriptor set");
    set.file.retain(|file| file.package().starts_with("parley."));
    set
}

/// Everything that a set promises: what it is, and how it is.
fn promises(set: &FileDescriptorSet) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for file in &set.file {
        let package = format!(".{}", file.package());
        for message in &file.message_type {
            promise_message(&package, message, &mut found);
        }
        for list in &file.enum_type {
            promise_enum(&package, list, &mut found);
        }
        for service in &file.service {
            let name = format!("{package}.{}", service.name());
            for method in &service.method {
                found.insert(format!("rpc {name}/{}", method.name()), method_shape(method));
            }
            found.insert(format!("service {name}"), String::new());
        }
    }
    found
}

fn promise_message(outer: &str, message: &DescriptorProto, found: &mut BTreeMap<String, String>) {
    let name = format!("{outer}.{}", message.name());
    for field in &message.field {
        found.insert(format!("field {} of {name}", field.number()), field_shape(message, field));
    }
    for range in &message.reserved_range {
        found.insert(format!("reserved {} to {} of {name}", range.start(), range.end()), String::new());
    }
    for nested in &message.nested_type {
        promise_message(&name, nested, found);
    }
    for list in &message.enum_type {
        promise_enum(&name, list, found);
    }
    found.insert(format!("message {name}"), String::new());
}

fn promise_enum(outer: &str, list: &EnumDescriptorProto, found: &mut BTreeMap<String, String>) {
    let name = format!("{outer}.{}", list.name());
    for value in &list.value {
        found.insert(format!("value {} of {name}", value.number()), value.name().to_owned());
    }
    found.insert(format!("enum {name}"), String::new());
}

fn field_shape(message: &DescriptorProto, field: &FieldDescriptorProto) -> String {
    let repeated = if field.label() == Label::Repeated { "repeated " } else { "" };
    let optional = if field.proto3_optional() { "optional " } else { "" };
    let kind = match field.r#type() {
        Type::Message | Type::Enum | Type::Group => field.type_name().to_owned(),
        scalar => scalar.as_str_name().to_owned(),
    };
    let choice = field.oneof_index.filter(|_| !field.proto3_optional());
    let choice = choice.map(|i| format!(" in oneof {}", message.oneof_decl[i as usize].name()));
    format!("{repeated}{optional}{kind} {} ({}){}", field.name(), field.json_name(), choice.unwrap_or_default())
}

fn method_shape(method: &MethodDescriptorProto) -> String {
    let stream = |streams: bool| if streams { "stream " } else { "" };
    let (takes, gives) = (stream(method.client_streaming()), stream(method.server_streaming()));
    format!("({takes}{}) returns ({gives}{})", method.input_type(), method.output_type())
}

/// A line for every promise of `old` that `new` does not keep.
fn broken(old: &FileDescriptorSet, new: &FileDescriptorSet) -> Vec<String> {
    let new = promises(new);
    let changed = promises(old).into_iter().filter(|(what, shape)| new.get(what) != Some(shape));
    changed
        .map(|(what, shape)| match new.get(&what) {
            Some(now) => format!("{what} was {shape:?} and is {now:?}"),
            None => format!("{what} is gone: {shape:?}"),
        })
        .collect()
}

#[test]
fn nothing_that_was_released_has_changed() {
    let broken = broken(&decode(RELEASED), &decode(parley_proto::DESCRIPTORS));
    assert!(
        broken.is_empty(),
        "{} promises of the last release are broken:\n{}\nBring them back. Only at a release that is meant to break \
         clients, record what is then promised: cargo run -p parley-proto --example record_descriptors",
        broken.len(),
        broken.join("\n"),
    );
}

#[test]
fn the_recorded_release_is_whole() {
    let released = promises(&decode(RELEASED));
    for what in ["service .parley.v1.Play", "rpc .parley.v1.Archive/GetReplay", "message .parley.journal.v1.Entry"] {
        assert!(released.contains_key(what), "{what}");
    }
    assert!(released.len() > 500, "only {} promises", released.len());
    let set = FileDescriptorSet::decode(RELEASED).expect("a descriptor set");
    let is_wanted = |package: &str| package.starts_with("parley.") || package == "google.protobuf";
    assert!(set.file.iter().all(|file| file.source_code_info.is_none() && is_wanted(file.package())));
}

/// Changes the recorded release and says which promises that breaks.
fn after(change: impl FnOnce(&mut FileDescriptorSet)) -> Vec<String> {
    let old = decode(RELEASED);
    let mut new = old.clone();
    change(&mut new);
    broken(&old, &new)
}

fn message<'a>(set: &'a mut FileDescriptorSet, name: &str) -> &'a mut DescriptorProto {
    let mut messages = set.file.iter_mut().flat_map(|file| &mut file.message_type);
    messages.find(|message| message.name() == name).expect("a message")
}

#[test]
fn every_kind_of_break_is_found() {
    let receipt = ".parley.v1.Receipt";
    let gone = after(|set| drop(message(set, "Receipt").field.remove(1)));
    assert_eq!(gone, [format!("field 2 of {receipt} is gone: \"TYPE_UINT32 turn (turn)\"")]);
    let renumbered = after(|set| message(set, "Receipt").field[1].number = Some(99));
    assert_eq!(renumbered, gone);
    let retyped = after(|set| message(set, "Receipt").field[1].set_type(Type::Uint64));
    assert!(retyped.len() == 1 && retyped[0].ends_with("is \"TYPE_UINT64 turn (turn)\""), "{retyped:?}");
    let renamed = after(|set| message(set, "Receipt").field[1].name = Some("round".to_owned()));
    assert!(renamed.len() == 1 && renamed[0].ends_with("is \"TYPE_UINT32 round (turn)\""), "{renamed:?}");
    let repeated = after(|set| message(set, "Receipt").field[1].set_label(Label::Repeated));
    assert_eq!(repeated.len(), 1);
    let message_renamed = after(|set| message(set, "Receipt").name = Some("Promise".to_owned()));
    assert!(message_renamed.contains(&format!("message {receipt} is gone: \"\"")), "{message_renamed:?}");

    let values = |set: &mut FileDescriptorSet, change: fn(&mut EnumDescriptorProto)| {
        let mut lists = set.file.iter_mut().flat_map(|file| &mut file.enum_type);
        change(lists.find(|list| list.name() == "SheetOrigin").expect("an enum"));
    };
    assert_eq!(after(|set| values(set, |list| drop(list.value.pop()))).len(), 1);
    assert_eq!(after(|set| values(set, |list| list.value[1].name = Some("OTHER".to_owned()))).len(), 1);

    let methods = |set: &mut FileDescriptorSet, change: fn(&mut Vec<MethodDescriptorProto>)| {
        let mut services = set.file.iter_mut().flat_map(|file| &mut file.service);
        change(&mut services.find(|service| service.name() == "Archive").expect("a service").method);
    };
    assert_eq!(after(|set| methods(set, |list| drop(list.remove(0)))).len(), 1);
    assert_eq!(after(|set| methods(set, |list| list[0].server_streaming = Some(true))).len(), 1);
    assert_eq!(after(|set| methods(set, |list| list[0].input_type = list[1].input_type.clone())).len(), 1);
}

#[test]
fn what_is_new_breaks_nothing() {
    let added = after(|set| {
        let receipt = message(set, "Receipt");
        let field =
            FieldDescriptorProto { number: Some(99), name: Some("note".to_owned()), ..receipt.field[1].clone() };
        receipt.field.push(field);
        let fresh = DescriptorProto { name: Some("Fresh".to_owned()), ..DescriptorProto::default() };
        set.file[0].message_type.insert(0, fresh);
    });
    assert_eq!(added, Vec::<String>::new());
}
