//! Which task starts.

use super::*;
use crate::arch::{Color, WSE2};
use crate::image::TaskBinding;
use crate::source::{FileId, Span};

fn tile(bindings: &[(u8, TaskKind)]) -> TileImage {
    let span = Span::new(FileId(0), 0, 0);
    let tasks = bindings.iter().map(|(id, kind)| TaskBinding {
        id: TaskId(*id),
        kind: *kind,
        function: FnId(0),
        params: Vec::new(),
        name: String::new(),
        span,
    });
    TileImage { tasks: tasks.collect(), ..TileImage::default() }
}

fn data(word: u32) -> Wavelet {
    Wavelet { data: word, control: false }
}

#[test]
fn local_tasks_run_before_wavelets_and_the_lowest_id_first_unless_another_is_preferred() {
    let tile = tile(&[(3, TaskKind::Local), (9, TaskKind::Local), (5, TaskKind::Data)]);
    let (mut tasks, mut queues) = (Tasks::new(&tile), Queues::new(&WSE2, &tile));
    tasks.activate(TaskId(9)).unwrap();
    tasks.activate(TaskId(3)).unwrap();
    queues.deliver(0, Color(5), data(1));
    let mut pick = |tasks: &Tasks, claimed| {
        let found = tasks.pick(ArchName::Wse2, &mut queues, claimed, 0);
        found.map(|ready| ready.id().0)
    };
    assert_eq!(pick(&tasks, 0), Some(3));
    tasks.state.blocked |= 1 << 3;
    assert_eq!(pick(&tasks, 0), Some(9));
    tasks.high |= 1 << 5;
    assert_eq!(pick(&tasks, 0), Some(5));
    assert_eq!(pick(&tasks, 1), Some(9));
    tasks.high = 0;
    tasks.state.blocked |= 1 << 9;
    assert_eq!(pick(&tasks, 0), Some(5));
}

/// The ids of the next tasks, where each local task activates itself.
fn started(tasks: &mut Tasks, queues: &mut Queues, count: usize) -> Vec<u8> {
    let start = |_| {
        let picked = tasks.pick(ArchName::Wse2, queues, 0, 0).expect("a task is ready");
        match picked {
            Picked::Local(id) => {
                tasks.start(id);
                tasks.activate_by_code(id).unwrap();
            }
            Picked::Wavelet { id, input, .. } => {
                queues.inputs[usize::from(input)].take(0);
                tasks.start_other(Some(id));
            }
        }
        picked.id().0
    };
    (0..count).map(start).collect()
}

#[test]
fn a_task_that_activates_itself_lets_all_others_run() {
    let tile = tile(&[(3, TaskKind::Local), (9, TaskKind::Local), (5, TaskKind::Data)]);
    let (mut tasks, mut queues) = (Tasks::new(&tile), Queues::new(&WSE2, &tile));
    queues.deliver(0, Color(5), data(1));
    queues.deliver(0, Color(5), data(2));
    tasks.activate(TaskId(3)).unwrap();
    tasks.activate(TaskId(9)).unwrap();
    let order = started(&mut tasks, &mut queues, 8);
    assert_eq!(order, [3, 9, 5, 3, 9, 5, 3, 9]);
}

#[test]
fn a_task_that_activates_itself_takes_turns_with_the_tasks_of_all_wavelets() {
    let tile = tile(&[(3, TaskKind::Local), (5, TaskKind::Data), (6, TaskKind::Data)]);
    let (mut tasks, mut queues) = (Tasks::new(&tile), Queues::new(&WSE2, &tile));
    for word in 0..3 {
        queues.deliver(0, Color(5), data(word));
        queues.deliver(0, Color(6), data(word));
    }
    tasks.activate(TaskId(3)).unwrap();
    let order = started(&mut tasks, &mut queues, 9);
    assert_eq!(order, [3, 5, 6, 3, 5, 6, 3, 5, 6]);
}

#[test]
fn a_control_wavelet_for_nobody_is_dropped_and_one_on_a_blocked_channel_waits() {
    let tile = tile(&[(40, TaskKind::Control)]);
    let (mut tasks, mut queues) = (Tasks::new(&tile), Queues::new(&WSE2, &tile));
    queues.deliver(0, Color(2), Wavelet { data: 31 << 16, control: true });
    queues.deliver(0, Color(2), Wavelet { data: 40 << 16 | 6, control: true });
    tasks.state.blocked = 1 << 2;
    assert_eq!(tasks.pick(ArchName::Wse2, &mut queues, 0, 0), None);
    tasks.state.blocked = 0;
    let ready = tasks.pick(ArchName::Wse2, &mut queues, 0, 0);
    assert_eq!(ready.map(|r| r.id()), Some(TaskId(40)));
    assert_eq!(queues.inputs[0].len(), 1);
}

#[test]
fn activating_what_no_local_task_is_bound_to_is_refused() {
    let mut tasks = Tasks::new(&tile(&[(5, TaskKind::Data)]));
    assert_eq!(tasks.activate(TaskId(5)).unwrap_err().rule(), "task-unbound");
}
