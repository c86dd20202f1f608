//! Records what the protos promise now as the release that later changes are compared with:
//! `cargo run -p parley-proto --example record_descriptors` writes `proto/parley.descriptors`.

use prost::Message;
use prost_types::FileDescriptorSet;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut set = FileDescriptorSet::decode(parley_proto::DESCRIPTORS)?;
    // Whoever reads the recorded files needs what they import: times and structs are Google's.
    set.file.retain(|file| file.package().starts_with("parley.") || file.package() == "google.protobuf");
    for file in &mut set.file {
        // Comments may change at any time.
        file.source_code_info = None;
    }
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/parley.descriptors"), set.encode_to_vec())?;
    Ok(())
}
