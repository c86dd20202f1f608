use parley_core::hex::Hex;
use parley_core::ids::{ID_BOUND, UnitId};
use parley_plunder::event::Subject;
use parley_plunder::ids::StructureId;
use parley_plunder::order::{Action, OrderSheet, StructureOrder, UnitOrder, Work};
use parley_plunder::rules::{Rules, Upgrade};
use parley_plunder::state::Engagement;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::structure_order::Work as SaidWork;
use parley_proto::plunder::v1::unit_order::Action as Said;
use proptest::prelude::*;
use prost::Message;

use super::super::{said, sheet};
use super::{class, player, structure, unit};

fn unit_ids() -> impl Strategy<Value = UnitId> {
    (0..ID_BOUND).prop_map(|id| unit(id.into()))
}

fn structure_ids() -> impl Strategy<Value = StructureId> {
    (0..ID_BOUND).prop_map(|id| structure(id.into()))
}

fn actions() -> impl Strategy<Value = Action> {
    let path = prop::collection::vec((any::<i32>(), any::<i32>()).prop_map(|(q, r)| Hex::new(q, r)), 0..70);
    prop_oneof![
        path.prop_map(Action::Move),
        Just(Action::Hold),
        Just(Action::Repair),
        prop::sample::select(&Upgrade::ALL[..]).prop_map(Action::Upgrade),
        Just(Action::DeployShipyard),
        structure_ids().prop_map(Action::Bombard),
        Just(Action::Press),
    ]
}

fn unit_orders() -> impl Strategy<Value = UnitOrder> {
    let engagements = [Engagement::Ask, Engagement::Evade, Engagement::Fight, Engagement::FightIfHealthy];
    let engagement = prop::option::of(prop::sample::select(engagements.to_vec()));
    (unit_ids(), prop::option::of(actions()), any::<bool>(), engagement)
        .prop_map(|(unit, action, broadside, engagement)| UnitOrder { unit, action, broadside, engagement })
}

fn structure_orders() -> impl Strategy<Value = StructureOrder> {
    let classes: Vec<_> = Rules::plunder().class_ids().collect();
    let work = prop_oneof![
        prop::sample::select(classes).prop_map(Work::Build),
        any::<u32>().prop_map(|index| Work::CancelBuild(index as usize)),
    ];
    (structure_ids(), work).prop_map(|(structure, work)| StructureOrder { structure, work })
}

fn sheets() -> impl Strategy<Value = OrderSheet> {
    let units = prop::collection::vec(unit_orders(), 0..12);
    let structures = prop::collection::vec(structure_orders(), 0..6);
    (0..250u64, units, structures, any::<bool>()).prop_map(|(id, units, structures, concede)| OrderSheet {
        player: player(id),
        units,
        structures,
        concede,
    })
}

/// Orders with any number where a number can be, small ones more often.
fn wild_sheets() -> impl Strategy<Value = plunder::Sheet> {
    let number = || prop_oneof![-2..8i32, any::<i32>()];
    let id = || prop_oneof![0..9u32, any::<u32>()];
    let action = prop_oneof![
        number().prop_map(Said::Upgrade),
        id().prop_map(Said::Bombard),
        Just(Said::Hold(plunder::Hold {})),
    ];
    let unit_order = (id(), prop::option::of(action), number())
        .prop_map(|(unit, action, engagement)| plunder::UnitOrder { unit, action, broadside: false, engagement });
    let work = prop_oneof![any::<String>().prop_map(SaidWork::Build), id().prop_map(SaidWork::CancelBuild)];
    let structure_order =
        (id(), prop::option::of(work)).prop_map(|(structure, work)| plunder::StructureOrder { structure, work });
    let lists = (prop::collection::vec(unit_order, 0..9), prop::collection::vec(structure_order, 0..9));
    lists.prop_map(|(units, structures)| plunder::Sheet { units, structures, concede: true })
}

proptest! {
    #[test]
    fn a_sheet_arrives_as_it_was_meant(meant in sheets()) {
        let rules = Rules::plunder();
        let bytes = said(&rules, &meant).encode_to_vec();
        let said = plunder::Sheet::decode(&bytes[..]).expect("what was encoded");
        prop_assert_eq!(sheet(&rules, meant.player, &said), (meant, vec![]));
    }

    #[test]
    fn every_order_is_taken_or_has_a_fault(said in wild_sheets()) {
        let rules = Rules::plunder();
        let (orders, faults) = sheet(&rules, player(0), &said);
        let taken = orders.units.len() + orders.structures.len();
        prop_assert_eq!(taken + faults.len(), said.units.len() + said.structures.len());
        prop_assert!(orders.concede);
        prop_assert!(faults.iter().all(|fault| !fault.text.is_empty() && fault.text.len() < 400));
    }
}

fn hold(unit: u32) -> plunder::UnitOrder {
    plunder::UnitOrder { unit, action: Some(Said::Hold(plunder::Hold {})), ..plunder::UnitOrder::default() }
}

fn cancel(structure: u32) -> plunder::StructureOrder {
    plunder::StructureOrder { structure, work: Some(SaidWork::CancelBuild(0)) }
}

/// Puts a bad order between good ones and returns its fault; the good ones must stand.
fn refused(bad_unit: Option<plunder::UnitOrder>, bad_structure: Option<plunder::StructureOrder>) -> common::Fault {
    let said = plunder::Sheet {
        units: [Some(hold(1)), bad_unit, Some(hold(3))].into_iter().flatten().collect(),
        structures: [Some(cancel(4)), bad_structure, Some(cancel(6))].into_iter().flatten().collect(),
        concede: true,
    };
    let (orders, mut faults) = sheet(&Rules::plunder(), player(2), &said);
    assert_eq!((orders.player, orders.concede), (player(2), true));
    assert_eq!(orders.units.iter().map(|order| order.unit.get()).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(orders.structures.iter().map(|order| order.structure.get()).collect::<Vec<_>>(), [4, 6]);
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults.remove(0)
}

fn check(fault: common::Fault, subject: Option<Subject>, rule: &str, field: &str, text: &str) {
    let expected = (subject.map(super::super::subject), rule, field, text);
    assert_eq!((fault.subject, &*fault.rule, &*fault.field, &*fault.text), expected);
}

#[test]
fn a_malformed_unit_order_is_left_out_alone() {
    let subject = Some(Subject::Unit(unit(2)));
    let with = |action| plunder::UnitOrder { action: Some(action), ..hold(2) };
    let fault = |order| refused(Some(order), None);
    check(
        fault(hold(ID_BOUND)),
        None,
        "R1",
        "sheet.plunder.units[1].unit",
        "there is no unit 268435456, ids are below 268435456",
    );
    check(fault(with(Said::Upgrade(0))), subject, "", "sheet.plunder.units[1].upgrade", "its order names no upgrade");
    check(fault(with(Said::Upgrade(4))), subject, "", "sheet.plunder.units[1].upgrade", "4 is no upgrade");
    check(
        fault(with(Said::Bombard(u32::MAX))),
        subject,
        "R11.5",
        "sheet.plunder.units[1].bombard",
        "no structure 4294967295 is adjacent",
    );
    check(
        fault(plunder::UnitOrder { engagement: -1, ..hold(2) }),
        subject,
        "",
        "sheet.plunder.units[1].engagement",
        "-1 is no engagement",
    );
}

#[test]
fn a_malformed_structure_order_is_left_out_alone() {
    let subject = Some(Subject::Structure(structure(5)));
    let build = |key: &str| plunder::StructureOrder { structure: 5, work: Some(SaidWork::Build(key.to_owned())) };
    let fault = |order| refused(None, Some(order));
    check(
        fault(cancel(ID_BOUND)),
        None,
        "R1",
        "sheet.plunder.structures[1].structure",
        "there is no structure 268435456, ids are below 268435456",
    );
    check(
        fault(plunder::StructureOrder { structure: 5, work: None }),
        subject,
        "",
        "sheet.plunder.structures[1]",
        "its order names no work",
    );
    check(
        fault(build("no\nship")),
        subject,
        "R4",
        "sheet.plunder.structures[1].build",
        r#"there is no class "no\nship""#,
    );
    let long = "x".repeat(1_000_000);
    let quoted = format!("there is no class {:?}...", "x".repeat(32));
    check(fault(build(&long)), subject, "R4", "sheet.plunder.structures[1].build", &quoted);
    let (_, key) = class(&Rules::plunder());
    let (orders, faults) =
        sheet(&Rules::plunder(), player(0), &plunder::Sheet { structures: vec![build(&key)], ..Default::default() });
    assert_eq!((orders.structures.len(), faults), (1, vec![]));
}

#[test]
fn an_order_without_an_action_goes_on() {
    let said = plunder::Sheet { units: vec![plunder::UnitOrder { action: None, ..hold(9) }], ..Default::default() };
    let (orders, faults) = sheet(&Rules::plunder(), player(0), &said);
    assert_eq!(faults, vec![]);
    let expected = UnitOrder { unit: unit(9), action: None, broadside: false, engagement: None };
    assert_eq!(orders.units, vec![expected]);
}
